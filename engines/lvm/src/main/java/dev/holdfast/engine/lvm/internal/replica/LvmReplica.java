package dev.holdfast.engine.lvm.internal.replica;

import dev.holdfast.engine.lvm.blobs.BlobOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A replica: the blobs of its live content and of its snapshots. Written before a blob is changed,
 * and again afterwards, so that the next opening completes what a crash interrupted.
 *
 * @param volume that it belongs to
 * @param replica its name
 * @param sizeBytes of the volume
 * @param options of its blobs
 * @param content identifier of the content that it was cloned from, empty for none
 * @param source blob of that content, empty for none
 * @param head blob of the live content
 * @param parent name of the snapshot below the live content, empty for none
 * @param blobs how many blobs of snapshots it has had
 * @param phase what is being done to it
 * @param target blob of the snapshot that the live content is being reverted to, empty for none
 * @param snapshots the oldest first
 */
public record LvmReplica(
    String volume,
    String replica,
    long sizeBytes,
    BlobOptions options,
    String content,
    String source,
    String head,
    String parent,
    long blobs,
    Phase phase,
    String target,
    List<StoredSnapshot> snapshots) {
  /** Steps of the life of a replica; a record has the name in lower case. */
  public enum Phase {
    /** Its blob may be there or not. */
    CREATING,
    /** It can be opened. */
    PRESENT,
    /** Its live content is being replaced by that of a snapshot. */
    REVERTING,
    /** It is being deleted. */
    DELETING
  }

  /** Copies the list and checks that nothing is missing. */
  public LvmReplica {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(replica, "replica");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(content, "content");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(head, "head");
    Objects.requireNonNull(parent, "parent");
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(target, "target");
    snapshots = List.copyOf(snapshots);
  }

  /** Returns a snapshot by its name, those that are removed included. */
  public Optional<StoredSnapshot> snapshot(String name) {
    return snapshots.stream().filter(snapshot -> snapshot.name().equals(name)).findFirst();
  }

  /** Returns a snapshot that can be read. */
  public Optional<StoredSnapshot> present(String name) {
    return snapshot(name).filter(snapshot -> snapshot.phase() == StoredSnapshot.Phase.PRESENT);
  }

  /** Returns the record in another phase. */
  public LvmReplica in(Phase next) {
    return new LvmReplica(
        volume, replica, sizeBytes, options, content, source, head, parent, blobs, next, target,
        snapshots);
  }

  /** Returns the record of a clone. */
  public LvmReplica cloning(String id, String blob) {
    return new LvmReplica(
        volume, replica, sizeBytes, options, id, blob, head, parent, blobs, phase, target,
        snapshots);
  }

  /** Returns the record with another size. */
  public LvmReplica sized(long bytes) {
    return new LvmReplica(
        volume, replica, bytes, options, content, source, head, parent, blobs, phase, target,
        snapshots);
  }

  /** Returns the record with its live content above a snapshot. */
  public LvmReplica above(String snapshot) {
    return new LvmReplica(
        volume, replica, sizeBytes, options, content, source, head, snapshot, blobs, phase, target,
        snapshots);
  }

  /** Returns the record while the live content is replaced, or after that with an empty blob. */
  public LvmReplica reverting(String blob) {
    return new LvmReplica(
        volume,
        replica,
        sizeBytes,
        options,
        content,
        source,
        head,
        parent,
        blobs,
        blob.isEmpty() ? Phase.PRESENT : Phase.REVERTING,
        blob,
        snapshots);
  }

  private LvmReplica with(long count, List<StoredSnapshot> next) {
    return new LvmReplica(
        volume, replica, sizeBytes, options, content, source, head, parent, count, phase, target,
        next);
  }

  /** Returns the name of the blob of the next snapshot. */
  public String nextBlob() {
    return head + "-s" + Long.toString(blobs + 1, Character.MAX_RADIX);
  }

  /** Returns the record with a new snapshot. */
  public LvmReplica adding(StoredSnapshot snapshot) {
    List<StoredSnapshot> next = new ArrayList<>(snapshots);
    next.add(snapshot);
    return with(blobs + 1, next);
  }

  /** Returns the record with a snapshot in another phase. */
  public LvmReplica marking(String name, StoredSnapshot.Phase next) {
    return with(
        blobs,
        snapshots.stream().map(one -> one.name().equals(name) ? one.in(next) : one).toList());
  }

  /** Returns the record without a snapshot; what was above it is above its parent. */
  public LvmReplica without(StoredSnapshot gone) {
    List<StoredSnapshot> next =
        snapshots.stream()
            .filter(one -> !one.name().equals(gone.name()))
            .map(one -> one.parent().equals(gone.name()) ? one.above(gone.parent()) : one)
            .toList();
    LvmReplica rest = with(blobs, next);
    return parent.equals(gone.name()) ? rest.above(gone.parent()) : rest;
  }
}
