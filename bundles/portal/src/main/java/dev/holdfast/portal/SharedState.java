package dev.holdfast.portal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.ExportStateStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** What the connections of an export share: texts in memory, the durable ones also in a store. */
final class SharedState implements ExportState {
  /** Keeps nothing, for exports that nobody gave a store. */
  static final ExportStateStore NO_STORE =
      new ExportStateStore() {
        @Override
        public Map<String, String> load() {
          return Map.of();
        }

        @Override
        public void save(Map<String, String> texts) {
          // What this export's connections share ends with it.
        }
      };

  private final ExportStateStore store;
  private final Lock lock = new ReentrantLock();
  private final Map<String, Optional<String>> texts = new ConcurrentHashMap<>();
  private Map<String, String> saved;

  /** Begins with what was kept. */
  SharedState(ExportStateStore store) throws StorageException {
    this.store = store;
    this.saved = Map.copyOf(store.load());
    saved.forEach((name, text) -> texts.put(name, Optional.of(text)));
  }

  @Override
  public Optional<String> text(String name) {
    return texts.getOrDefault(name, Optional.empty());
  }

  @Override
  public Lock lock() {
    return lock;
  }

  /** Replaces a text in memory; a durable one of that name stays in the store. */
  synchronized boolean replace(String name, Optional<String> expected, Optional<String> next) {
    boolean same = text(name).equals(expected);
    if (same) {
      texts.put(name, next);
    }
    return same;
  }

  @Override
  public synchronized boolean replace(
      String name, Optional<String> expected, Optional<String> next, boolean durable)
      throws StorageException {
    if (!text(name).equals(expected)) {
      return false;
    }
    Map<String, String> kept = new HashMap<>(saved);
    kept.remove(name);
    if (durable && next.isPresent()) {
      kept.put(name, next.get());
    }
    if (!kept.equals(saved)) {
      store.save(kept);
      saved = kept;
    }
    texts.put(name, next);
    return true;
  }
}
