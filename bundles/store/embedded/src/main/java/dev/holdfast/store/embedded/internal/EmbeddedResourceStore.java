package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.StoreBackup;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchListener;
import dev.holdfast.store.runtime.ChangeFeed;
import dev.holdfast.store.runtime.WriteRules;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Optional;
import java.util.UUID;

/**
 * Keeps resources in one SQLite file.
 *
 * <pre>
 *   callers ── write ──▶ WriteQueue ─ one thread, one commit per group ─▶ ┐
 *   callers ── read ───▶ ReaderPool ─ snapshots, side by side ──────────▶ │ holdfast.db (WAL)
 *   watches ◀─ events ── ChangeFeed ◀ changes after a version ──────────── ┘
 * </pre>
 *
 * <p>A write returns when it is synced. Thread-safe.
 */
public final class EmbeddedResourceStore implements ResourceStore, StoreBackup, AutoCloseable {
  /** Number of changes of each kind that are kept for watches. */
  static final int DEFAULT_KEPT_CHANGES = 4096;

  private final StoreFile file;
  private final WriteRules rules;
  private final ReaderPool readers;
  private final StoreReader reader;
  private final ChangeFeed feed;
  private final WriteQueue writes;

  /**
   * Opens a store; creates it when it is absent.
   *
   * @param path of its file
   * @param clock source of creation and deletion timestamps
   * @param keptChanges number of changes of each kind kept for watches, at least 1
   * @throws StorageException as {@link StoreFile#open}
   */
  public EmbeddedResourceStore(Path path, Clock clock, int keptChanges) throws StorageException {
    ResourceJson json = new ResourceJson();
    file = StoreFile.open(path, SchemaMigrations.ALL);
    rules = new WriteRules(json, clock, () -> UUID.randomUUID().toString());
    readers = new ReaderPool(file);
    reader = new StoreReader(readers, json);
    feed = new ChangeFeed(reader, "store-embedded");
    writes = openQueue(json, keptChanges);
  }

  /** Returns whether the store has no resources. */
  boolean isEmpty() throws StorageException {
    return reader.isEmpty();
  }

  private WriteQueue openQueue(ResourceJson json, int keptChanges) throws StorageException {
    try {
      return new WriteQueue(
          () -> new StoreWriter(StoreGrowth.limit(file.writeConnection()), json, keptChanges),
          new StoreGrowth(file)::grow,
          file.errors(),
          feed::changed);
    } catch (SQLException e) {
      feed.close();
      file.close();
      throw file.errors().failed("opening", e);
    }
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    return reader.get(kind, name);
  }

  @Override
  public <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException {
    return reader.list(kind, selector);
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    return writes
        .write(resource.resourceKind(), resource.name(), stored -> rules.create(stored, resource))
        .resource();
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return writes
        .write(resource.resourceKind(), resource.name(), stored -> rules.update(stored, resource))
        .resource();
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    return writes
        .write(
            resource.resourceKind(),
            resource.name(),
            stored -> rules.updateStatus(stored, resource))
        .resource();
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    return writes.write(kind, name, stored -> rules.delete(stored, kind, name, uid)).remaining();
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    return feed.watch(kind, resourceVersion, listener);
  }

  @Override
  public void backUp(Path target) throws StorageException {
    new BackupFile(file).writeTo(target);
  }

  /** Finishes the writes in progress, ends all watches and closes the file. */
  @Override
  public void close() throws StorageException {
    try {
      writes.close();
      feed.close();
      readers.close();
    } catch (SQLException e) {
      throw new StorageException(ErrorCode.IO, "close the store " + file.path(), e);
    } finally {
      file.close();
    }
  }
}
