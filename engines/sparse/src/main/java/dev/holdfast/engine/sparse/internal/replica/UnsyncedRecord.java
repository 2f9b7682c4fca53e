package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.sparse.internal.chain.SharedLayers;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Record in a replica's directory of a failed sync. The kernel treats data that it could not write
 * as written, and shows it until a reboot or until it needs the memory. The next opening in the
 * same boot therefore writes the readable content again and syncs it, so that the disk holds the
 * content that is shown. Unflushed data may have been lost before, as in a power cut, so the boot
 * counts as another one from then on.
 *
 * @param boot boot of the host in which the sync failed
 * @param failures number of failures in that boot
 * @param rewritten whether all content was written again since
 */
record UnsyncedRecord(String boot, int failures, boolean rewritten) {
  private static final Logger LOG = LoggerFactory.getLogger(UnsyncedRecord.class);
  private static final int PIECE = 1 << 20;

  /**
   * Makes the readable content durable if a sync failed.
   *
   * @param boot boot of the host
   * @param failures failures that this process saw in this replica, including unrecorded ones
   * @return number of failed syncs in this boot
   * @throws IOException when writing fails: then the content of the disk is unknown
   */
  static int settle(ReplicaDirectory directory, String boot, int failures)
      throws IOException, StorageException {
    Optional<UnsyncedRecord> left =
        StateFiles.load(directory, StateFiles.UNSYNCED, UnsyncedRecord.class)
            .filter(record -> record.boot().equals(boot));
    int noted = left.map(UnsyncedRecord::failures).orElse(0);
    boolean rewritten = left.map(UnsyncedRecord::rewritten).orElse(true) && noted >= failures;
    int all = Math.max(noted, failures);
    if (!rewritten) {
      LOG.warn("{}: a sync failed; everything is written again", directory.path());
      for (String name : directory.files()) {
        if (LonghornLayout.isLayer(name)) {
          rewrite(directory, name);
        }
      }
      new UnsyncedRecord(boot, all, true).store(directory);
    }
    return all;
  }

  void store(ReplicaDirectory directory) throws IOException {
    StateFiles.store(directory, StateFiles.UNSYNCED, this);
  }

  private static void rewrite(ReplicaDirectory directory, String name)
      throws IOException, StorageException {
    if (directory.shared(name)) {
      // Instead of rewriting a shared file, copy it and sync the copy: the other replicas need no
      // notification.
      SharedLayers.ownClosed(directory, name);
      return;
    }
    try (ReplicaFile file = directory.open(name)) {
      ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
      long size = file.size();
      for (long at = 0; at < size; ) {
        long data = file.nextData(at);
        long from = data < 0 ? size : data;
        at = Math.min(from + PIECE, Math.min(size, from < size ? file.nextHole(from) : size));
        file.read(piece.clear().limit((int) (at - from)), from);
        file.write(piece.flip(), from);
      }
      file.sync();
    }
  }
}
