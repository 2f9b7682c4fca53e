package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

/** Connections for reading, each used by one thread at a time. */
final class ReaderPool implements AutoCloseable {
  private static final int LIMIT = 4;

  private final StoreFile file;
  private final Semaphore permits = new Semaphore(LIMIT);
  private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
  private volatile boolean closed;

  ReaderPool(StoreFile file) {
    this.file = file;
  }

  /** Reads in one transaction. */
  interface Read<T> {
    T from(Connection connection) throws SQLException, StorageException;
  }

  /** Reads from one snapshot that includes every write acknowledged before the call. */
  <T> T read(Read<T> read) throws StorageException {
    permits.acquireUninterruptibly();
    try {
      if (closed) {
        throw new StorageException(ErrorCode.UNREACHABLE, "the resource store was closed");
      }
      return readWith(read);
    } catch (SQLException e) {
      throw file.errors().failed("reading", e);
    } finally {
      permits.release();
    }
  }

  private <T> T readWith(Read<T> read) throws SQLException, StorageException {
    Connection pooled = idle.poll();
    Connection connection = pooled == null ? file.readConnection() : pooled;
    boolean reusable = false;
    try {
      try {
        return read.from(connection);
      } finally {
        connection.rollback();
        reusable = true;
      }
    } finally {
      if (reusable) {
        idle.push(connection);
      } else {
        connection.close();
      }
    }
  }

  /** Waits for the reads in progress and closes their connections. */
  @Override
  public void close() throws SQLException {
    closed = true;
    permits.acquireUninterruptibly(LIMIT);
    try {
      for (Connection connection = idle.poll(); connection != null; connection = idle.poll()) {
        connection.close();
      }
    } finally {
      permits.release(LIMIT);
    }
  }
}
