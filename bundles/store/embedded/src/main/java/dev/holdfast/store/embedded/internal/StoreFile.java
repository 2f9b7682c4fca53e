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

/** The file of a store: opened once, checked, and migrated to the present schema. */
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
   * Opens a file; creates it and its directories when they are absent.
   *
   * @throws StorageException BUSY when it is open elsewhere; UNSUPPORTED when its schema is
   *     unknown; IO when it is damaged or unusable
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

  /** Creates a directory and its parents, accessible by this user only. */
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
   * Opens a connection that preserves the log: SQLite removes the log when the last connection is
   * closed.
   */
  private void keepLog() throws StorageException {
    try {
      Connection connection = plainConnection();
      keeper = Optional.of(connection);
      try (Statement statement = connection.createStatement()) {
        // SQLite counts the connection only after its first read.
        statement.executeQuery("PRAGMA user_version").close();
      }
    } catch (SQLException e) {
      throw errors.failed("opening", e);
    }
  }

  /** Keeps a copy for the previous version, which cannot read the new schema. */
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

  /**
   * Opens the connection of the only writer, whose transactions begin with their first statement.
   */
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

  /** Opens a read-only connection, whose transactions each read one snapshot. */
  Connection readConnection() throws SQLException {
    Connection connection = plainConnection();
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA query_only = ON");
    }
    connection.setAutoCommit(false);
    return connection;
  }

  /** Opens a connection without transactions. */
  Connection plainConnection() throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setTransactionMode(SQLiteConfig.TransactionMode.DEFERRED);
    config.setBusyTimeout(BUSY_MILLIS);
    return JDBC.createConnection("jdbc:sqlite:" + path, config.toProperties());
  }

  /** Unlocks the file. The caller has closed all other connections. */
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
