package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.runtime.Transition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The writing side of the file: transitions within one open transaction, then a commit. After a
 * SQLite failure, which may have ended the transaction, it can only be closed. Confined to one
 * thread at a time.
 */
final class StoreWriter implements AutoCloseable {
  private final Connection connection;
  private final ResourceJson json;
  private final int keptChanges;
  private final Map<String, Integer> changeCounts = new HashMap<>();
  private long latest;

  StoreWriter(Connection connection, ResourceJson json, int keptChanges) throws SQLException {
    this.connection = connection;
    this.json = json;
    this.keptChanges = keptChanges;
    try {
      load();
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** Decides a write from the stored resource. */
  interface Rule<R extends Resource<R>> {
    Transition<R> decide(Optional<R> stored) throws StorageException;
  }

  /**
   * Applies a write to the open transaction.
   *
   * @throws StorageException from the rule; the transaction is unchanged
   * @throws SQLException the transaction is lost; the caller must close this writer
   */
  <R extends Resource<R>> Transition<R> apply(ResourceKind<R> kind, String name, Rule<R> rule)
      throws SQLException, StorageException {
    Transition<R> decided = rule.decide(StoreReader.stored(connection, json, kind, name));
    if (decided.change().isEmpty()) {
      return decided;
    }
    Transition<R> done = decided.withVersion(latest + 1);
    String body = json.encode(done.resource());
    latest++;
    execute("UPDATE latest SET version = ?", latest);
    WatchEvent.Type type = decided.change().get();
    switch (type) {
      case ADDED ->
          execute(
              "INSERT INTO resource (body, kind, name) VALUES (?, ?, ?)", body, kind.kind(), name);
      case MODIFIED ->
          execute(
              "UPDATE resource SET body = ? WHERE kind = ? AND name = ?", body, kind.kind(), name);
      case DELETED ->
          execute("DELETE FROM resource WHERE kind = ? AND name = ?", kind.kind(), name);
    }
    execute(
        "INSERT INTO change (version, kind, type, body) VALUES (?, ?, ?, ?)",
        latest,
        kind.kind(),
        type.name(),
        body);
    if (changeCounts.merge(kind.kind(), 1, Integer::sum) > keptChanges) {
      dropOldest(kind.kind());
    }
    return done;
  }

  private void dropOldest(String kind) throws SQLException {
    keepLatest(kind, keptChanges);
  }

  /**
   * Deletes the older half of the changes of each kind, which frees their pages for later writes.
   * Watches that need them must list again.
   *
   * @return whether any change was deleted
   */
  boolean makeRoom() throws SQLException {
    boolean dropped = false;
    for (Map.Entry<String, Integer> kind : Map.copyOf(changeCounts).entrySet()) {
      if (kind.getValue() > 0) {
        keepLatest(kind.getKey(), kind.getValue() / 2);
        dropped = true;
      }
    }
    return dropped;
  }

  private void keepLatest(String kind, int kept) throws SQLException {
    int surplus = changeCounts.get(kind) - kept;
    execute(
        "INSERT INTO dropped (kind, version) SELECT ?, version FROM change WHERE kind = ?"
            + " ORDER BY version LIMIT 1 OFFSET ?"
            + " ON CONFLICT (kind) DO UPDATE SET version = excluded.version",
        kind,
        kind,
        surplus - 1);
    execute(
        "DELETE FROM change WHERE kind = ? AND version <="
            + " (SELECT version FROM dropped WHERE kind = ?)",
        kind,
        kind);
    changeCounts.put(kind, kept);
  }

  void commit() throws SQLException {
    connection.commit();
  }

  private void load() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT kind, count(*) FROM change GROUP BY kind")) {
      while (rows.next()) {
        changeCounts.put(rows.getString(1), rows.getInt(2));
      }
    }
    latest = StoreReader.latest(connection);
    connection.rollback();
  }

  private void execute(String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  /** Closes the connection; uncommitted changes are lost. */
  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
