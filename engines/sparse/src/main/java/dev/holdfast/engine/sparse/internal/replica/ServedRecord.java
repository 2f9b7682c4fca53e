package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import java.io.IOException;
import java.util.Optional;

/**
 * Record in a replica's directory that a bundle stopped serving it cleanly and without a failed
 * sync. The bundle that serves the replica next, in the same boot, counts as the same incarnation
 * for engines on other nodes, so that they can send unanswered syncs again. Used once.
 *
 * @param boot boot of the host, with the number of syncs that failed in it
 * @param incarnation incarnation of the process that served it
 */
record ServedRecord(String boot, String incarnation) {

  /** Writes the record for the next bundle. */
  void leave(ReplicaDirectory directory) throws IOException {
    StateFiles.store(directory, StateFiles.SERVED, this);
  }

  /**
   * Returns the incarnation of the previous bundle, if the record is of this boot, and removes the
   * record.
   */
  static Optional<String> take(ReplicaDirectory directory, String boot) throws IOException {
    Optional<ServedRecord> left = StateFiles.load(directory, StateFiles.SERVED, ServedRecord.class);
    if (left.isPresent()) {
      directory.remove(StateFiles.SERVED);
    }
    return left.filter(record -> record.boot().equals(boot)).map(ServedRecord::incarnation);
  }
}
