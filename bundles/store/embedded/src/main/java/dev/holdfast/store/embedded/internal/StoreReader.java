package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.runtime.Change;
import dev.holdfast.store.runtime.ChangeSource;
import dev.holdfast.store.runtime.Versions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads resources and changes. Thread-safe. */
final class StoreReader implements ChangeSource {
  private final ReaderPool pool;
  private final ResourceJson json;

  StoreReader(ReaderPool pool, ResourceJson json) {
    this.pool = pool;
    this.json = json;
  }

  <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    return pool.read(connection -> stored(connection, json, kind, name));
  }

  /** Reads one resource through a given connection; the writer uses this too. */
  static <R extends Resource<R>> Optional<R> stored(
      Connection connection, ResourceJson json, ResourceKind<R> kind, String name)
      throws SQLException, StorageException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT body FROM resource WHERE kind = ? AND name = ?")) {
      select.setString(1, kind.kind());
      select.setString(2, name);
      try (ResultSet rows = select.executeQuery()) {
        return rows.next() ? Optional.of(decode(json, kind, rows.getString(1))) : Optional.empty();
      }
    }
  }

  <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException {
    return pool.read(
        connection -> {
          List<R> items = new ArrayList<>();
          try (PreparedStatement select =
              connection.prepareStatement(
                  "SELECT body FROM resource WHERE kind = ? ORDER BY name")) {
            select.setString(1, kind.kind());
            try (ResultSet rows = select.executeQuery()) {
              while (rows.next()) {
                R resource = decode(json, kind, rows.getString(1));
                if (selector.matches(resource.metadata())) {
                  items.add(resource);
                }
              }
            }
          }
          return new ResourceList<>(items, Long.toString(latest(connection)));
        });
  }

  boolean isEmpty() throws StorageException {
    return pool.read(
        connection -> {
          try (PreparedStatement select =
                  connection.prepareStatement("SELECT 1 FROM resource LIMIT 1");
              ResultSet rows = select.executeQuery()) {
            return !rows.next();
          }
        });
  }

  @Override
  public <R extends Resource<R>> List<Change<R>> changesAfter(
      ResourceKind<R> kind, long version, int limit) throws StorageException {
    return pool.read(
        connection -> {
          Versions.requireKept(kind, version, dropped(connection, kind), latest(connection));
          List<Change<R>> changes = new ArrayList<>();
          try (PreparedStatement select =
              connection.prepareStatement(
                  "SELECT version, type, body FROM change"
                      + " WHERE kind = ? AND version > ? ORDER BY version LIMIT ?")) {
            select.setString(1, kind.kind());
            select.setLong(2, version);
            select.setInt(3, limit);
            try (ResultSet rows = select.executeQuery()) {
              while (rows.next()) {
                WatchEvent.Type type = WatchEvent.Type.valueOf(rows.getString(2));
                R resource = decode(json, kind, rows.getString(3));
                changes.add(new Change<>(rows.getLong(1), new WatchEvent<>(type, resource)));
              }
            }
          }
          return changes;
        });
  }

  private static <R extends Resource<R>> R decode(
      ResourceJson json, ResourceKind<R> kind, String body) throws StorageException {
    return json.decode(kind, body, ResourceJson.Mode.LENIENT);
  }

  static long latest(Connection connection) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement("SELECT version FROM latest");
        ResultSet row = select.executeQuery()) {
      return row.getLong(1);
    }
  }

  private static long dropped(Connection connection, ResourceKind<?> kind) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT version FROM dropped WHERE kind = ?")) {
      select.setString(1, kind.kind());
      try (ResultSet rows = select.executeQuery()) {
        return rows.next() ? rows.getLong(1) : 0;
      }
    }
  }
}
