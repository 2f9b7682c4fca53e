package dev.holdfast.store.records;

import dev.holdfast.engine.EngineRecords;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.StoredEngineRecord;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists, watches, and lists again when the store's watch ends. One thread does all of it and calls
 * the consumer; the store's events are queued for that thread.
 */
final class StoreRecordWatch implements EngineRecords.RecordWatch {
  private static final Logger LOG = LoggerFactory.getLogger(StoreRecordWatch.class);
  private static final long FIRST_DELAY_MILLIS = 50;
  private static final long LONGEST_DELAY_MILLIS = 5000;

  private final StoreSource store;
  private final String engine;
  private final String prefix;
  private final Consumer<String> changed;
  private final ScheduledThreadPoolExecutor thread;
  private volatile Thread worker;
  private volatile boolean closed;

  // Used on the thread only.
  private final Map<String, String> writers = new HashMap<>();
  private Connection connection;
  private long delay = FIRST_DELAY_MILLIS;

  StoreRecordWatch(StoreSource store, String engine, String prefix, Consumer<String> changed) {
    this.store = store;
    this.engine = engine;
    this.prefix = prefix;
    this.changed = changed;
    this.thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread created = new Thread(task, "engine-records-watch-" + engine);
              created.setDaemon(true);
              worker = created;
              return created;
            });
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.execute(this::connect);
  }

  private void connect() {
    if (closed) {
      return;
    }
    Connection next = new Connection();
    connection = next;
    try {
      ResourceStore present = store.get();
      ResourceList<StoredEngineRecord> list =
          present.list(
              StoredEngineRecord.KIND,
              LabelSelector.label(StoredEngineRecord.ENGINE_LABEL, engine));
      compare(list);
      next.watch = present.watch(StoredEngineRecord.KIND, list.resourceVersion(), next);
      delay = FIRST_DELAY_MILLIS;
    } catch (StorageException e) {
      LOG.debug("records of engine {}: could not watch, trying again: {}", engine, e.getMessage());
      reconnect();
    }
  }

  private void reconnect() {
    if (connection.watch != null) {
      connection.watch.close();
    }
    connection = new Connection();
    var unused = thread.schedule(this::connect, delay, TimeUnit.MILLISECONDS);
    delay = Math.min(2 * delay, LONGEST_DELAY_MILLIS);
  }

  private void compare(ResourceList<StoredEngineRecord> list) {
    Set<String> gone = new HashSet<>(writers.keySet());
    for (StoredEngineRecord stored : list.items()) {
      if (Contents.isBelow(stored, engine, prefix)) {
        gone.remove(stored.spec().name());
        found(stored, true);
      }
    }
    for (String name : gone) {
      writers.remove(name);
      report(name);
    }
  }

  private void found(StoredEngineRecord stored, boolean exists) {
    String name = stored.spec().name();
    String before =
        exists && Contents.isPresent(stored)
            ? writers.put(name, stored.spec().writer())
            : writers.remove(name);
    String now = writers.get(name);
    if (now == null ? before != null : !now.equals(before)) {
      report(name);
    }
  }

  private void report(String name) {
    if (closed) {
      return;
    }
    try {
      changed.accept(name);
    } catch (RuntimeException | Error e) {
      LOG.error("engine {}: the consumer of record {} failed", engine, name, e);
    }
  }

  private void onThread(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      // The watch was closed.
      LOG.trace("event after the end", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    onThread(
        () -> {
          if (connection.watch != null) {
            connection.watch.close();
          }
          thread.shutdown();
        });
    if (Thread.currentThread() != worker) {
      awaitEnd();
    }
  }

  private void awaitEnd() {
    boolean interrupted = false;
    while (!thread.isTerminated()) {
      try {
        boolean unused = thread.awaitTermination(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** One watch of the store. */
  @SuppressWarnings("ReferenceEquality") // Each connection is one object.
  private final class Connection implements WatchListener<StoredEngineRecord> {
    // Used on the thread only.
    private Watch watch;

    @Override
    public void changed(WatchEvent<StoredEngineRecord> event) {
      onThread(
          () -> {
            if (connection == this && Contents.isBelow(event.resource(), engine, prefix)) {
              found(event.resource(), event.type() != WatchEvent.Type.DELETED);
            }
          });
    }

    @Override
    public void ended(StorageException cause) {
      onThread(
          () -> {
            if (connection == this && !closed) {
              reconnect();
            }
          });
    }
  }
}
