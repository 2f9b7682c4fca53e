package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.OperationRecord;
import dev.holdfast.engine.sparse.internal.layout.VolumeMetaState;
import dev.holdfast.error.StorageException;
import java.io.IOException;

/**
 * Replaces the present head, which becomes a snapshot or is discarded. Files made before the commit
 * belong to no layer until volume.meta names the new head:
 *
 * <pre>
 *   record -> new head, its meta -> link to the snapshot, its meta -> volume.meta -> old head gone
 *   |          undone by the next opening                          |  finished by it
 * </pre>
 *
 * <p>To roll back an expansion that failed on other replicas, the snapshot is linked to the new
 * head, and is removed with the old one.
 */
final class HeadChange {
  private final ReplicaDirectory directory;
  private final VolumeMetaState state;
  private final OperationRecord record;

  private HeadChange(ReplicaDirectory directory, VolumeMetaState state, OperationRecord record) {
    this.directory = directory;
    this.state = state;
    this.record = record;
  }

  /**
   * Prepares a change durably; {@link #commit} makes it count, {@link #undo} takes it back.
   *
   * @param id of the operation
   * @param snapshot the file that the present head becomes, empty to throw it away
   * @param snapshotMeta of that file, null when there is none
   * @param headMeta of the new head, but for its name
   * @param size of the new head
   */
  static HeadChange prepare(
      ReplicaDirectory directory,
      VolumeMetaState state,
      String id,
      String snapshot,
      LayerMeta snapshotMeta,
      LayerMeta headMeta,
      long size)
      throws IOException {
    String former = state.meta().head();
    String next = freeHead(directory, former);
    OperationRecord record = new OperationRecord(id, former, next, snapshot, "", false);
    record.store(directory);
    HeadChange change = new HeadChange(directory, state, record);
    boolean prepared = false;
    try {
      directory.create(next, size).close();
      LonghornLayout.store(directory, next, headMeta.withName(next));
      if (!snapshot.isEmpty()) {
        // Fails rather than to replace anything.
        directory.link(former, snapshot);
        LayerChecksums.forget(directory, snapshot);
        LonghornLayout.store(directory, snapshot, snapshotMeta);
      }
      directory.sync("");
      prepared = true;
      return change;
    } finally {
      if (!prepared) {
        change.undo();
      }
    }
  }

  /**
   * Prepares durably that the snapshot below an empty head becomes the head again and is removed
   * from the snapshots.
   *
   * @param id of the operation
   * @param snapshot the file that becomes the head
   * @param headMeta of the head, but for its name
   */
  static HeadChange prepareBack(
      ReplicaDirectory directory,
      VolumeMetaState state,
      String id,
      String snapshot,
      LayerMeta headMeta)
      throws IOException {
    String former = state.meta().head();
    String next = freeHead(directory, former);
    OperationRecord record = new OperationRecord(id, former, next, "", snapshot, false);
    record.store(directory);
    HeadChange change = new HeadChange(directory, state, record);
    boolean prepared = false;
    try {
      directory.link(snapshot, next);
      LonghornLayout.store(directory, next, headMeta.withName(next));
      directory.sync("");
      prepared = true;
      return change;
    } finally {
      if (!prepared) {
        change.undo();
      }
    }
  }

  // Numbers come round again; one that a broken-off operation of another program left is passed by.
  private static String freeHead(ReplicaDirectory directory, String former) throws IOException {
    String next = LonghornLayout.headAfter(former);
    while (directory.files().contains(next) && !next.equals(former)) {
      next = LonghornLayout.headAfter(next);
    }
    return next;
  }

  String newHead() {
    return record.newHead();
  }

  /** Makes the new head the head. */
  void commit(String parent, long size) throws IOException {
    state.store(state.meta().withHead(record.newHead(), parent, size));
  }

  /** Removes what a committed change left. */
  void finish() throws IOException {
    directory.remove(record.formerHead());
    directory.remove(LonghornLayout.metaOf(record.formerHead()));
    if (!record.dropped().isEmpty()) {
      // What is written to the head must not show in a snapshot.
      directory.remove(record.dropped());
      directory.remove(LonghornLayout.metaOf(record.dropped()));
      LayerChecksums.forget(directory, record.dropped());
    }
    record.finished().store(directory);
  }

  /** Takes back a change whose commit failed, for that may have come through on the disk. */
  void withdraw() throws IOException {
    state.store(state.meta());
    undo();
  }

  /** Removes what a change that was not committed made. */
  void undo() throws IOException {
    directory.remove(record.newHead());
    directory.remove(LonghornLayout.metaOf(record.newHead()));
    if (!record.snapshot().isEmpty()
        && directory.sameFile(record.formerHead(), record.snapshot())) {
      directory.remove(LonghornLayout.metaOf(record.snapshot()));
      directory.remove(record.snapshot());
    }
    record.undone().store(directory);
  }

  /** Finishes or undoes what a crash interrupted. */
  static void recover(ReplicaDirectory directory, VolumeMetaState state)
      throws IOException, StorageException {
    OperationRecord record = OperationRecord.load(directory).orElse(null);
    if (record == null || record.done()) {
      return;
    }
    HeadChange change = new HeadChange(directory, state, record);
    String head = state.meta().head();
    if (head.equals(record.newHead())) {
      change.finish();
    } else if (head.equals(record.formerHead())) {
      change.undo();
    } else {
      // Another program changed the chain since; its files stay.
      record.undone().store(directory);
    }
  }
}
