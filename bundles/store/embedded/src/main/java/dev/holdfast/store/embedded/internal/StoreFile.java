package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.OptionalInt;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;

/** The file of a store: opened once, checked, brought to the present schema. */
final class StoreFile implements AutoCloseable {
  private static final int BUSY_MILLIS = 10_000;

  private final Path path;
  private final StoreLock lock;
  private final SqlErrors errors;
  private final StoreReserve reserve;
  private Optional<Connection> keeper = Optional.empty();

  private StoreFile(Path path, StoreLock lock) {
    this.path = path;
    this.lock = lock;
    this.errors = new SqlErrors(path);
    this.reserve = new StoreReserve(path);
  }

  /**
   * Opens a file, makes it when it is not there, and its directories too.
   *
   * @throws StorageException BUSY when it is open elsewhere; UNSUPPORTED when its schema is not
   *     known; IO when it is damaged or cannot be used
   */
  static StoreFile open(Path path, SchemaMigrations migrations) throws StorageException {
    makeDirectory(path.getParent());
    StoreFile file = new StoreFile(path, StoreLock.take(path));
    try {
      file.reserve.beforeOpening();
      file.prepare(migrations);
      file.reserve.becomesLog();
      file.keepLog();
      return file;
    } catch (StorageException e) {
      file.close();
      throw e;
    }
  }

  /** Makes a directory, and its parents, for this user only. */
  static void makeDirectory(Path directory) throws StorageException {
    try {
      if (!Files.isDirectory(directory)) {
        Files.createDirectories(
            directory,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
    } catch (IOException e) {
      throw StorageException.io("create directory " + directory, e);
    }
  }

  private void prepare(SchemaMigrations migrations) throws StorageException {
    try (Connection connection = writeConnection()) {
      requireIntact(connection);
      OptionalInt older = migrations.olderSchema(connection);
      if (older.isPresent()) {
        keepCopy(older.getAsInt());
      }
      int unused = migrations.migrate(connection, path);
    } catch (SQLException e) {
      throw errors.failed("opening", e);
    }
  }

  /**
   * Opens a connection to keep the log: SQLite removes it with the last connection that is closed.
   */
  private void keepLog() throws StorageException {
    try {
      Connection connection = plainConnection();
      keeper = Optional.of(connection);
      try (Statement statement = connection.createStatement()) {
        // Until it reads, it does not count.
        statement.executeQuery("PRAGMA user_version").close();
      }
    } catch (SQLException e) {
      throw errors.failed("opening", e);
    }
  }

  /** Keeps a copy for the former version, which does not read the new schema. */
  private void keepCopy(int schema) throws StorageException {
    Path copy = path.resolveSibling(path.getFileName() + ".schema-" + schema);
    try {
      Files.deleteIfExists(copy);
    } catch (IOException e) {
      throw StorageException.io("replace " + copy, e);
    }
    new BackupFile(this).writeTo(copy);
  }

  private void requireIntact(Connection connection) throws SQLException, StorageException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("PRAGMA quick_check(1)")) {
      String finding = row.getString(1);
      if (!finding.equals("ok")) {
        throw errors.damaged(finding, null);
      }
    }
    connection.rollback();
  }

  Path path() {
    return path;
  }

  SqlErrors errors() {
    return errors;
  }

  /** A connection for the one writer, with transactions that begin by the first statement. */
  Connection writeConnection() throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
    config.setBusyTimeout(BUSY_MILLIS);
    Connection connection = JDBC.createConnection("jdbc:sqlite:" + path, config.toProperties());
    connection.setAutoCommit(false);
    return connection;
  }

  /** A connection that only reads, each transaction from one snapshot. */
  Connection readConnection() throws SQLException {
    Connection connection = plainConnection();
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA query_only = ON");
    }
    connection.setAutoCommit(false);
    return connection;
  }

  /** A connection without transactions. */
  Connection plainConnection() throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setTransactionMode(SQLiteConfig.TransactionMode.DEFERRED);
    config.setBusyTimeout(BUSY_MILLIS);
    return JDBC.createConnection("jdbc:sqlite:" + path, config.toProperties());
  }

  /** Unlocks the file; all other connections are closed. */
  @Override
  public void close() throws StorageException {
    try {
      if (keeper.isPresent()) {
        keeper.get().close();
      }
    } catch (SQLException e) {
      throw errors.failed("closing", e);
    } finally {
      reserve.afterClosing();
      lock.close();
    }
  }
}
