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
 * Left in a replica's directory when a sync failed. The kernel takes for written what it could not
 * write, and shows it until the host is booted or the memory is needed. Therefore the next opening
 * in the same boot writes all of it again, from the readable content, and syncs it: then the shown
 * content is on the disk. What was not flushed may have been lost before, as in a loss of power;
 * therefore the boot counts as another one from then on.
 *
 * @param boot of the host in which it happened
 * @param failures how often, in that boot
 * @param rewritten whether all was written again since
 */
record UnsyncedRecord(String boot, int failures, boolean rewritten) {
  private static final Logger LOG = LoggerFactory.getLogger(UnsyncedRecord.class);
  private static final int PIECE = 1 << 20;

  /**
   * Makes what can be read durable, if it may not be.
   *
   * @param boot of the host
   * @param failures which this process saw in this replica, also if it could not note them
   * @return how many syncs failed in this boot
   * @throws IOException when it cannot be written: then nothing is known of what is there
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
      // A synced copy is equivalent, and the others need no notification.
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
