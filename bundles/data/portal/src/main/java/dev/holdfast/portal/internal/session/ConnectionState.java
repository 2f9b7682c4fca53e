package dev.holdfast.portal.internal.session;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Texts of an export that belong to one connection and are removed with it. Thread-safe. */
final class ConnectionState {
  private final Map<String, String> shared = new HashMap<>();

  boolean share(SharedState state, String name, Optional<String> expected, String text) {
    boolean done = state.replace(name, expected, Optional.of(text));
    if (done) {
      synchronized (shared) {
        shared.put(name, text);
      }
    }
    return done;
  }

  void remove(SharedState state) {
    synchronized (shared) {
      shared.forEach((name, text) -> state.replace(name, Optional.of(text), Optional.empty()));
      shared.clear();
    }
  }
}
