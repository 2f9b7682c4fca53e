package dev.holdfast.engine.lvm.internal.replica;

import dev.holdfast.engine.SnapshotRequest;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * A snapshot in the record of its volume.
 *
 * @param name unique in the volume
 * @param blob that holds its content
 * @param parent name of the snapshot below it, empty for the oldest
 * @param userCreated whether a user or a workload asked for it
 * @param created its time
 * @param labels of it
 * @param phase what is being done to it
 */
public record StoredSnapshot(
    String name,
    String blob,
    String parent,
    boolean userCreated,
    Instant created,
    Map<String, String> labels,
    Phase phase) {
  /** Steps of the life of a snapshot; a record has the name in lower case. */
  public enum Phase {
    /** Its blob may be there or not, and is not used. */
    CREATING,
    /** It can be read. */
    PRESENT,
    /** Its blob is deleted as soon as no reader uses it. */
    REMOVED
  }

  /** Copies the labels and checks that nothing is missing. */
  public StoredSnapshot {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(blob, "blob");
    Objects.requireNonNull(parent, "parent");
    Objects.requireNonNull(created, "created");
    Objects.requireNonNull(phase, "phase");
    labels = Map.copyOf(labels);
  }

  /** Returns the snapshot of a request before it is taken. */
  public static StoredSnapshot creating(SnapshotRequest request, String blob, String parent) {
    return new StoredSnapshot(
        request.name(),
        blob,
        parent,
        request.userCreated(),
        request.created(),
        request.labels(),
        Phase.CREATING);
  }

  /** Returns the same snapshot in another phase. */
  public StoredSnapshot in(Phase next) {
    return new StoredSnapshot(name, blob, parent, userCreated, created, labels, next);
  }

  /** Returns the same snapshot above another one. */
  public StoredSnapshot above(String other) {
    return new StoredSnapshot(name, blob, other, userCreated, created, labels, phase);
  }
}
