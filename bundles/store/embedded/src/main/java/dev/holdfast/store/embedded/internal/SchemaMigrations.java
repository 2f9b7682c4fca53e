package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.OptionalInt;

/**
 * Migrates a store's file to the schema of this version, step by step, in one transaction. The
 * number of the schema is SQLite's {@code user_version}.
 *
 * @param steps in order; the first one creates schema 1
 */
record SchemaMigrations(List<Step> steps) {
  /** "HFST", which distinguishes a store from any other SQLite file. */
  private static final int APPLICATION_ID = 0x48465354;

  /**
   * The schemas up to this version.
   *
   * <p>resource: the stored resources. change: changes that watches may still request. dropped: for
   * each kind the greatest version of a change that is no longer kept. latest: the greatest version
   * ever assigned.
   */
  static final SchemaMigrations ALL =
      new SchemaMigrations(
          List.of(
              new Step(
                  List.of(
                      "CREATE TABLE resource (kind TEXT NOT NULL, name TEXT NOT NULL,"
                          + " body TEXT NOT NULL, UNIQUE (kind, name))",
                      "CREATE TABLE change (version INTEGER PRIMARY KEY, kind TEXT NOT NULL,"
                          + " type TEXT NOT NULL, body TEXT NOT NULL)",
                      "CREATE INDEX change_by_kind ON change (kind, version)",
                      "CREATE TABLE dropped (kind TEXT PRIMARY KEY, version INTEGER NOT NULL)",
                      "CREATE TABLE latest (version INTEGER NOT NULL)",
                      "INSERT INTO latest VALUES (0)"))));

  /** The statements that create one schema from the previous one. */
  record Step(List<String> statements) {
    Step {
      statements = List.copyOf(statements);
    }
  }

  SchemaMigrations {
    steps = List.copyOf(steps);
  }

  /**
   * Migrates.
   *
   * @return the schema of the file before, 0 for an empty file
   * @throws StorageException UNSUPPORTED when the schema is newer or the file is not a store
   */
  int migrate(Connection connection, Path file) throws SQLException, StorageException {
    int found = requireKnown(connection, file);
    if (found == steps.size()) {
      return found;
    }
    try (Statement statement = connection.createStatement()) {
      for (Step step : steps.subList(found, steps.size())) {
        for (String sql : step.statements()) {
          statement.execute(sql);
        }
      }
      statement.execute("PRAGMA application_id = " + APPLICATION_ID);
      statement.execute("PRAGMA user_version = " + steps.size());
      connection.commit();
      return found;
    } catch (SQLException e) {
      connection.rollback();
      throw e;
    }
  }

  /** Returns the schema that {@link #migrate} would replace; empty for a new or current file. */
  OptionalInt olderSchema(Connection connection) throws SQLException {
    int found = number(connection, "PRAGMA user_version");
    connection.rollback();
    return found > 0 && found < steps.size() ? OptionalInt.of(found) : OptionalInt.empty();
  }

  private int requireKnown(Connection connection, Path file) throws SQLException, StorageException {
    int found = number(connection, "PRAGMA user_version");
    int application = number(connection, "PRAGMA application_id");
    boolean empty = number(connection, "SELECT count(*) FROM sqlite_master") == 0;
    connection.rollback();
    if (application != APPLICATION_ID && !empty) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          file
              + " is an SQLite file but not a resource store: move it away to start with a new "
              + "one");
    }
    if (found > steps.size()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "the store "
              + file
              + " has schema "
              + found
              + ", written by a newer version; this version knows schemas up to "
              + steps.size()
              + ": start the newer version, or restore the copy of the earlier schema ("
              + file.getFileName()
              + ".schema-N beside it, or a backup)");
    }
    return found;
  }

  private static int number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.getInt(1);
    }
  }
}
