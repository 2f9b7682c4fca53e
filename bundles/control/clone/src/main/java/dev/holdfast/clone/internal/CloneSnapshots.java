package dev.holdfast.clone.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * The snapshots from which copies are made. The name of a snapshot that is taken for a copy
 * contains the uids of source and copy. Therefore a crash causes no second snapshot, and another
 * volume of the same name does not get it.
 */
final class CloneSnapshots {
  static final String COPY_LABEL = Snapshot.COPY_LABEL;
  static final String COPY_UID_LABEL = Snapshot.COPY_UID_LABEL;
  private static final int NAME_BYTES = 16;

  private final ReconcileContext context;

  CloneSnapshots(ReconcileContext context) {
    this.context = context;
  }

  static String nameOf(Volume source, Volume copy) {
    String both = source.metadata().uid() + "/" + copy.metadata().uid();
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(both.getBytes(StandardCharsets.UTF_8));
      return "clone-" + HexFormat.of().formatHex(hash, 0, NAME_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Returns the snapshot to copy, which may not be taken yet.
   *
   * @throws StorageException NOT_FOUND when the source has no snapshot of the requested name
   */
  Snapshot require(CloneSource wanted, Volume source, Volume copy) throws StorageException {
    return wanted.snapshot().isEmpty() ? taken(source, copy) : named(wanted);
  }

  private Snapshot named(CloneSource wanted) throws StorageException {
    return context.store().list(Snapshot.KIND, LabelSelector.ALL).items().stream()
        .filter(snapshot -> snapshot.spec().volume().equals(wanted.volume()))
        .filter(snapshot -> snapshot.nameInVolume().equals(wanted.snapshot()))
        .filter(snapshot -> !snapshot.isBeingDeleted())
        .findFirst()
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND,
                    "volume " + wanted.volume() + " has no snapshot " + wanted.snapshot()));
  }

  private Snapshot taken(Volume source, Volume copy) throws StorageException {
    String name = nameOf(source, copy);
    Optional<Snapshot> present = context.store().get(Snapshot.KIND, name);
    if (present.isPresent()) {
      return present.get();
    }
    Snapshot wanted = Snapshot.of(name, SnapshotSpec.EMPTY.withVolume(source.name()));
    Map<String, String> labels =
        Map.of(COPY_LABEL, copy.name(), COPY_UID_LABEL, copy.metadata().uid());
    return context.store().create(wanted.withMetadata(wanted.metadata().withLabels(labels)));
  }

  /** Deletes snapshots that copies of this name no longer need. */
  void release(String name, Optional<Volume> copy) throws StorageException {
    for (Snapshot snapshot : context.list(Snapshot.KIND, LabelSelector.label(COPY_LABEL, name))) {
      boolean needed =
          copy.filter(c -> c.awaitsContent() && !c.isBeingDeleted())
              .filter(c -> c.metadata().uid().equals(uid(snapshot)))
              .isPresent();
      if (!needed && !snapshot.isBeingDeleted()) {
        delete(snapshot);
      }
    }
  }

  private static String uid(Snapshot snapshot) {
    return snapshot.metadata().labels().getOrDefault(COPY_UID_LABEL, "");
  }

  /** Deletes a snapshot if it was taken for a clone. */
  void discard(Snapshot snapshot) throws StorageException {
    if (snapshot.metadata().labels().containsKey(COPY_LABEL)) {
      delete(snapshot);
    }
  }

  private void delete(Snapshot snapshot) throws StorageException {
    context.store().delete(Snapshot.KIND, snapshot.name(), snapshot.metadata().uid());
  }
}
