package dev.holdfast.frontend.iscsi.internal;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of one session that this version of the bundle serves, as far as they need each
 * other. A connection waits on its monitor for events of another. Thread-safe.
 */
final class LocalConnections {
  private final Map<Integer, Commands> members = new ConcurrentHashMap<>();
  private final DeferredIoLock delivery = new DeferredIoLock();

  void add(int cid, Commands commands) {
    members.put(cid, commands);
  }

  /** Removes a connection. Returns whether none is left. */
  boolean remove(int cid, Commands commands) {
    members.remove(cid, commands);
    return members.isEmpty();
  }

  Optional<Commands> of(int cid) {
    return Optional.ofNullable(members.get(cid)).filter(Commands::reachable);
  }

  List<Commands> all() {
    return members.values().stream().filter(Commands::reachable).toList();
  }

  /** Held from the time at which a command is taken until its task exists. */
  DeferredIoLock delivery() {
    return delivery;
  }

  /** Wakes waiting connections after the roster was replaced. */
  synchronized void changed() {
    notifyAll();
  }
}
