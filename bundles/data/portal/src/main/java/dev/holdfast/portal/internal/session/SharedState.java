package dev.holdfast.portal.internal.session;

import dev.holdfast.block.IoThread;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.AccessState;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.ExportStateStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * State that the connections of an export share: texts in memory, and durable ones also in a store.
 * The store is called without this object's monitor. A text that is not kept there changes
 * immediately, even while the store is slow. Thread-safe.
 */
public final class SharedState implements ExportState {
  /** Store that keeps no text, for exports without a store. */
  public static final ExportStateStore NO_STORE =
      new ExportStateStore() {
        @Override
        public Map<String, String> load() {
          return Map.of();
        }

        @Override
        public void save(Map<String, String> texts) {
          // The shared texts of this export end with it.
        }
      };

  private final ExportStateStore store;
  private final Lock lock = new ReentrantLock();
  private final Map<String, Optional<String>> texts = new ConcurrentHashMap<>();
  // Serializes calls of the store. Taken before this object's monitor.
  private final Object writing = new Object();
  // Guarded by this; changed only by a thread that also holds the monitor above.
  private Map<String, String> saved;
  // Guarded by this; empty while no text is being written.
  private Optional<String> written = Optional.empty();

  /** Starts with the stored texts. */
  public SharedState(ExportStateStore store) throws StorageException {
    this.store = store;
    this.saved = Map.copyOf(store.load());
    saved.forEach((name, text) -> texts.put(name, Optional.of(text)));
  }

  /** Starts with the stored texts, as one of the paths to a volume. */
  public SharedState(ExportStateStore store, ExportPath path) throws StorageException {
    this(store);
    put(ExportPath.TEXT, Optional.of(path.text()));
  }

  /** Changes the access state of the path; empty when the export has none. */
  public Optional<ExportPath> access(AccessState access) {
    while (true) {
      Optional<String> text = text(ExportPath.TEXT);
      Optional<ExportPath> next =
          text.flatMap(ExportPath::read).map(present -> present.with(access));
      if (next.isEmpty() || replace(ExportPath.TEXT, text, next.map(ExportPath::text))) {
        return next;
      }
    }
  }

  @Override
  public Optional<String> text(String name) {
    return texts.getOrDefault(name, Optional.empty());
  }

  @Override
  public Lock lock() {
    return lock;
  }

  /** Replaces a text in memory; a durable text of that name stays in the store. */
  synchronized boolean replace(String name, Optional<String> expected, Optional<String> next) {
    // The text can be compared only after the store has replied.
    awaitWritten(name);
    boolean same = text(name).equals(expected);
    if (same) {
      put(name, next);
    }
    return same;
  }

  @Override
  public boolean replace(
      String name, Optional<String> expected, Optional<String> next, boolean durable)
      throws StorageException {
    boolean keeps = durable || store.keeps(name);
    if (!keeps && !concernsStore(name)) {
      return replace(name, expected, next);
    }
    // Deferred work of this thread must not wait for the store.
    IoThread.settle();
    synchronized (writing) {
      if (!begin(name, expected)) {
        return false;
      }
      boolean replaced = false;
      try {
        replaced = write(name, keeps ? next : Optional.empty(), durable);
        return replaced;
      } finally {
        end(name, replaced, next);
      }
    }
  }

  // The caller holds the monitor.
  private void awaitWritten(String name) {
    boolean interrupted = false;
    while (written.filter(name::equals).isPresent()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean concernsStore(String name) {
    return saved.containsKey(name) || written.filter(name::equals).isPresent();
  }

  private synchronized boolean begin(String name, Optional<String> expected) {
    boolean same = text(name).equals(expected);
    if (same) {
      written = Optional.of(name);
    }
    return same;
  }

  private boolean write(String name, Optional<String> kept, boolean durable)
      throws StorageException {
    Optional<String> known = known(name);
    if (known.isPresent() || kept.isPresent()) {
      if (!store.replace(name, known, kept, durable)) {
        reload(store.load());
        return false;
      }
      noteSaved(name, kept);
    }
    return true;
  }

  private synchronized void end(String name, boolean replaced, Optional<String> next) {
    if (replaced) {
      put(name, next);
    }
    written = Optional.empty();
    notifyAll();
  }

  private synchronized Optional<String> known(String name) {
    return Optional.ofNullable(saved.get(name));
  }

  /** Absent names are removed, because sessions create new names as long as the export exists. */
  private void put(String name, Optional<String> next) {
    if (next.isPresent()) {
      texts.put(name, next);
    } else {
      texts.remove(name);
    }
  }

  /** Returns the number of texts. */
  int count() {
    return texts.size();
  }

  private synchronized void noteSaved(String name, Optional<String> kept) {
    Map<String, String> now = new HashMap<>(saved);
    kept.ifPresentOrElse(text -> now.put(name, text), () -> now.remove(name));
    saved = Map.copyOf(now);
  }

  /** Takes over texts that others wrote; texts that only this export's connections share stay. */
  private synchronized void reload(Map<String, String> loaded) {
    Map<String, String> now = Map.copyOf(loaded);
    Set<String> names = new HashSet<>(saved.keySet());
    names.addAll(now.keySet());
    for (String name : names) {
      if (!Objects.equals(saved.get(name), now.get(name))) {
        put(name, Optional.ofNullable(now.get(name)));
      }
    }
    saved = now;
  }
}
