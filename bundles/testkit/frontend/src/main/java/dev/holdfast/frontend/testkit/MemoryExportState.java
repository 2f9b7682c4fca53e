package dev.holdfast.frontend.testkit;

import dev.holdfast.frontend.ExportState;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** In-memory state that the connections of an export share. Thread-safe. */
public final class MemoryExportState implements ExportState {
  private final Map<String, Optional<String>> texts;
  private final Lock lock = new ReentrantLock();

  /**
   * Creates a state.
   *
   * @param first initial texts by name, not null
   */
  public MemoryExportState(Map<String, String> first) {
    texts = new ConcurrentHashMap<>();
    first.forEach((name, text) -> texts.put(name, Optional.of(text)));
  }

  @Override
  public Optional<String> text(String name) {
    return texts.getOrDefault(name, Optional.empty());
  }

  @Override
  public synchronized boolean replace(
      String name, Optional<String> expected, Optional<String> next, boolean durable) {
    boolean same = text(name).equals(expected);
    if (same) {
      texts.put(name, next);
    }
    return same;
  }

  @Override
  public Lock lock() {
    return lock;
  }
}
