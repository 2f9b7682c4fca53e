package dev.holdfast.engine.sparse.internal.layout;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import java.io.IOException;
import java.util.Optional;

/**
 * Record of a replica's last structural operation, so that an interrupted one can be undone or
 * finished and no operation runs twice.
 *
 * @param id identifier of the operation
 * @param formerHead the file of the head before the operation; empty when it does not change the
 *     head
 * @param newHead the file of the head afterwards; the operation is committed once volume.meta names
 *     it
 * @param snapshot the file that the former head becomes, empty when it is discarded
 * @param dropped the file of a snapshot that becomes the new head and is removed; else empty
 * @param done whether the operation is complete
 */
public record OperationRecord(
    String id, String formerHead, String newHead, String snapshot, String dropped, boolean done) {
  public OperationRecord {
    dropped = dropped == null ? "" : dropped;
  }

  public static Optional<OperationRecord> load(ReplicaDirectory directory) throws IOException {
    return StateFiles.load(directory, StateFiles.OPERATION, OperationRecord.class);
  }

  public void store(ReplicaDirectory directory) throws IOException {
    StateFiles.store(directory, StateFiles.OPERATION, this);
  }

  public OperationRecord finished() {
    return new OperationRecord(id, formerHead, newHead, snapshot, dropped, true);
  }

  /** Returns the record after the operation was undone. */
  public OperationRecord undone() {
    return new OperationRecord("", "", "", "", "", true);
  }
}
