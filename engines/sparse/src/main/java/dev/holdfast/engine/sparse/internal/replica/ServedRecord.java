package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import java.io.IOException;
import java.util.Optional;

/**
 * Record in a replica's directory of a bundle that stopped serving it in order and without a failed
 * sync. The bundle that serves the replica next, in the same boot, is the same incarnation for
 * engines on other nodes, so their unanswered syncs can be sent again. Used once.
 *
 * @param boot of the host, with the syncs that failed in it
 * @param incarnation incarnation of the process that served it
 */
record ServedRecord(String boot, String incarnation) {

  /** Leaves it for the next one. */
  void leave(ReplicaDirectory directory) throws IOException {
    StateFiles.store(directory, StateFiles.SERVED, this);
  }

  /** Returns what the one before has left, if it is of this boot, and takes it away. */
  static Optional<String> take(ReplicaDirectory directory, String boot) throws IOException {
    Optional<ServedRecord> left = StateFiles.load(directory, StateFiles.SERVED, ServedRecord.class);
    if (left.isPresent()) {
      directory.remove(StateFiles.SERVED);
    }
    return left.filter(record -> record.boot().equals(boot)).map(ServedRecord::incarnation);
  }
}
