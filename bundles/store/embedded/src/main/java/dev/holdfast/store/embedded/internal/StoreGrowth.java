package dev.holdfast.store.embedded.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Extends the store's file by pieces that have disk blocks before changes use them. SQLite itself
 * notices a full file system too late. A change that needs a new page is committed to the log, the
 * log can no longer be copied into the file, and it fills up until writes are impossible. With the
 * limit of {@link #limit} such a change fails instead, and the caller can free space within the
 * file.
 */
final class StoreGrowth {
  private static final int PIECE = 1 << 20;

  /** A piece is in both the log and the file for some time, and other programs write too. */
  private static final long LEAST_FREE = 4L * PIECE;

  private static final Logger LOG = LoggerFactory.getLogger(StoreGrowth.class);

  private final StoreFile file;

  StoreGrowth(StoreFile file) {
    this.file = file;
  }

  /** Limits a connection to the pages that the file has. */
  static Connection limit(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      long pages;
      try (ResultSet row = statement.executeQuery("PRAGMA page_count")) {
        pages = row.getLong(1);
      }
      statement.execute("PRAGMA max_page_count = " + pages);
      connection.rollback();
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /**
   * Adds a piece. The caller ensures that no other connection writes.
   *
   * @return whether the store has more room now; false when the file system has too little
   */
  boolean grow() {
    try {
      return hasRoom(file.path()) && addPiece();
    } catch (SQLException | IOException e) {
      LOG.warn("store: could not extend {}: {}", file.path(), e.getMessage());
      return false;
    }
  }

  private static boolean hasRoom(Path path) throws IOException {
    return Files.getFileStore(path).getUsableSpace() >= LEAST_FREE;
  }

  /**
   * A change of zeroes allocates the pages, a checkpoint writes them, and the deletion frees them.
   */
  private boolean addPiece() throws SQLException {
    try (Connection connection = file.plainConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT OR REPLACE INTO change (version, kind, type, body) VALUES (-1, '', '', zeroblob("
              + PIECE
              + "))");
      statement.execute("PRAGMA wal_checkpoint(PASSIVE)");
      statement.execute("DELETE FROM change WHERE version = -1");
      return true;
    }
  }
}
