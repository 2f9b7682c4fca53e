package dev.holdfast.store.embedded.internal;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reserved space for the store on a full file system. SQLite first writes every change into its
 * log, and removes the log when the store is closed. A store that is opened on a full file system
 * could then write nothing, not even a deletion. This class therefore keeps the blocks of the log:
 *
 * <pre>
 *   closed    holdfast.db.reserve    allocated, with some room more for SQLite's shared memory
 *   open      holdfast.db-wal        the same file under another name
 * </pre>
 *
 * <p>SQLite treats a log of zeroes as empty and overwrites it from its beginning.
 */
final class StoreReserve {
  /** Larger than the log becomes before SQLite copies it into the store and restarts it. */
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

  /** Releases the space that SQLite needs beside its log. Called before SQLite opens the store. */
  void beforeOpening() {
    try {
      if (Files.exists(reserve) && Files.size(reserve) > LOG_BYTES) {
        setSize(reserve, LOG_BYTES);
      }
    } catch (IOException e) {
      LOG.warn("store: could not shorten {}: {}", reserve, e.getMessage());
    }
  }

  /** Makes the reserve the log, unless a crash left a log. Called while no connection is open. */
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

  /** Reserves the same space for the next opening. Called after SQLite has removed its log. */
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

  /** Writes zeroes, because a file that is only extended has no blocks. */
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
