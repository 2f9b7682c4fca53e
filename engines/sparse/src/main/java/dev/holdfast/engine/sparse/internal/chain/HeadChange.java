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
   * Prepares a change durably. {@link #commit} makes it effective, {@link #undo} removes it.
   *
   * @param id of the operation
   * @param snapshot file name that the present head receives, empty to discard it
   * @param snapshotMeta of that file, null when there is none
   * @param headMeta metadata of the new head, except its name
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
        // The link fails if the file exists, so it never replaces a file.
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
   * @param headMeta metadata of the head, except its name
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

  // Head numbers wrap around. A number is skipped if an interrupted operation of another program
  // left a file of that name.
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

  /** Makes the new head effective. */
  void commit(String parent, long size) throws IOException {
    state.store(state.meta().withHead(record.newHead(), parent, size));
  }

  /** Removes the files that a committed change leaves behind. */
  void finish() throws IOException {
    directory.remove(record.formerHead());
    directory.remove(LonghornLayout.metaOf(record.formerHead()));
    if (!record.dropped().isEmpty()) {
      // The former snapshot's file is now the head: remove its snapshot name, because writes to the
      // head must not appear in a snapshot.
      directory.remove(record.dropped());
      directory.remove(LonghornLayout.metaOf(record.dropped()));
      LayerChecksums.forget(directory, record.dropped());
    }
    record.finished().store(directory);
  }

  /**
   * Rolls back a change whose commit failed: the failed commit may nevertheless have reached the
   * disk.
   */
  void withdraw() throws IOException {
    state.store(state.meta());
    undo();
  }

  /** Removes the files of a change that was not committed. */
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

  /** Finishes or undoes a change that a crash interrupted. */
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
      // Another program changed the chain since the record was written; its files stay.
      record.undone().store(directory);
    }
  }
}
