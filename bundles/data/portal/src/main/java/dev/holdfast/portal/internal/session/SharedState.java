package dev.holdfast.portal.internal.session;

import dev.holdfast.error.StorageException;
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
 * State that the connections of an export share: texts in memory, the durable ones also in a store.
 */
public final class SharedState implements ExportState {
  /** Keeps nothing, for exports without a store. */
  public static final ExportStateStore NO_STORE =
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
  public SharedState(ExportStateStore store) throws StorageException {
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
      put(name, next);
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
    Optional<String> known = Optional.ofNullable(saved.get(name));
    Optional<String> kept = durable || store.keeps(name) ? next : Optional.empty();
    if (known.isPresent() || kept.isPresent()) {
      if (!store.replace(name, known, kept, durable)) {
        reload();
        return false;
      }
      noteSaved(name, kept);
    }
    put(name, next);
    return true;
  }

  /** Names are not kept: sessions make new ones for as long as the export stands. */
  private void put(String name, Optional<String> next) {
    if (next.isPresent()) {
      texts.put(name, next);
    } else {
      texts.remove(name);
    }
  }

  /** Returns how many texts there are. */
  int count() {
    return texts.size();
  }

  private void noteSaved(String name, Optional<String> kept) {
    Map<String, String> now = new HashMap<>(saved);
    kept.ifPresentOrElse(text -> now.put(name, text), () -> now.remove(name));
    saved = Map.copyOf(now);
  }

  /** Takes over what others wrote; what only this export's connections share stays. */
  private void reload() throws StorageException {
    Map<String, String> now = Map.copyOf(store.load());
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
