package dev.holdfast.store.embedded.internal;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room for the store on a file system that is full. SQLite writes every change into its log first,
 * and removes the log when the store is closed; a store that is opened on a full file system could
 * then write nothing, not even that something is deleted. So the blocks of the log are kept:
 *
 * <pre>
 *   closed    holdfast.db.reserve    allocated, with some room more for SQLite's shared memory
 *   open      holdfast.db-wal        the same file under another name
 * </pre>
 *
 * SQLite takes a log of zeroes for an empty one and overwrites it from its beginning.
 */
final class StoreReserve {
  /** More than the log holds until SQLite writes it into the store and restarts it. */
  static final long LOG_BYTES = 6L << 20;

  private static final long SHARED_MEMORY_BYTES = 256L << 10;
  private static final int PIECE = 1 << 16;
  private static final Logger LOG = LoggerFactory.getLogger(StoreReserve.class);

  private final Path reserve;
  private final Path log;

  StoreReserve(Path store) {
    this.reserve = store.resolveSibling(store.getFileName() + ".reserve");
    this.log = store.resolveSibling(store.getFileName() + "-wal");
  }

  /** Before SQLite opens the store: gives it the room for what it keeps beside its log. */
  void beforeOpening() {
    try {
      if (Files.exists(reserve) && Files.size(reserve) > LOG_BYTES) {
        setSize(reserve, LOG_BYTES);
      }
    } catch (IOException e) {
      LOG.warn("store: could not shorten {}: {}", reserve, e.getMessage());
    }
  }

  /** While no connection is open: the reserve becomes the log, unless a crash left one. */
  void becomesLog() {
    try {
      if (Files.exists(log)) {
        return;
      }
      fillAsFarAsPossible(LOG_BYTES);
      Files.move(reserve, log, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.warn("store: could not reserve room for its log: {}", e.getMessage());
    }
  }

  /** When SQLite has removed its log: keeps as much room for the next opening. */
  void afterClosing() {
    try {
      if (!Files.exists(log)) {
        fillAsFarAsPossible(LOG_BYTES + SHARED_MEMORY_BYTES);
      }
    } catch (IOException e) {
      LOG.warn("store: could not reserve room for the next start: {}", e.getMessage());
    }
  }

  private void fillAsFarAsPossible(long size) throws IOException {
    try {
      fill(size);
    } catch (IOException e) {
      if (!Files.exists(reserve)) {
        throw e;
      }
      LOG.warn(
          "store: {} of {} bytes are reserved for its log: {}",
          Files.size(reserve),
          size,
          e.getMessage());
    }
  }

  /** Writes, because a file that is only made longer has no blocks. */
  private void fill(long size) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(reserve.toFile(), "rw")) {
      byte[] zeroes = new byte[PIECE];
      file.seek(file.length());
      while (file.length() < size) {
        file.write(zeroes, 0, (int) Math.min(PIECE, size - file.length()));
      }
      file.getFD().sync();
    }
  }

  private static void setSize(Path path, long size) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(size);
      file.getFD().sync();
    }
  }
}
