package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Converts SQLite errors to store errors. */
final class SqlErrors {
  private final Path file;

  SqlErrors(Path file) {
    this.file = file;
  }

  /** Returns the error of an operation that had no effect. */
  StorageException failed(String what, SQLException e) {
    if (e instanceof SQLiteException sqlite) {
      return switch (sqlite.getResultCode()) {
        case SQLITE_FULL ->
            new StorageException(
                ErrorCode.NO_SPACE,
                "the store "
                    + file
                    + " cannot grow: no space is left on its file system; free some",
                e);
        case SQLITE_CORRUPT, SQLITE_CORRUPT_VTAB, SQLITE_NOTADB -> damaged(e.getMessage(), e);
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM ->
            new StorageException(
                ErrorCode.IO,
                "the store "
                    + file
                    + " cannot be written ("
                    + e.getMessage()
                    + "); check its owner and permissions",
                e);
        default -> io(what, e);
      };
    }
    return io(what, e);
  }

  /**
   * Returns the error of a failed commit. If the log could not grow, its last frame is missing and
   * the commit had no effect. After any other failure the effect is unknown until the next opening.
   */
  StorageException failedCommit(SQLException e) {
    if (e instanceof SQLiteException sqlite
        && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_FULL) {
      return failed("writing", e);
    }
    return new StorageException(
        ErrorCode.TIMEOUT,
        "the store "
            + file
            + " could not confirm a write; whether it took effect is not known: "
            + e.getMessage(),
        e);
  }

  StorageException damaged(String finding, Throwable cause) {
    return new StorageException(
        ErrorCode.IO,
        "the store "
            + file
            + " is damaged: "
            + finding
            + "; move it away together with its -wal and -shm files, then put a backup in its place",
        cause);
  }

  private StorageException io(String what, SQLException e) {
    return new StorageException(
        ErrorCode.IO, "the store " + file + ": " + what + " failed: " + e.getMessage(), e);
  }
}
