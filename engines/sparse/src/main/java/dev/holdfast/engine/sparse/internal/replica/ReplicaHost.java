package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * Owner of this node's replicas: every engine, in this process or on another node, gets them only
 * here. At most one session has a replica; a later token ends it, an older one is refused.
 * Thread-safe.
 */
public final class ReplicaHost {
  private final Function<Path, ReplicaDirectory> directories;
  private final String boot;
  private final String incarnation = UUID.randomUUID().toString();

  // Guarded by this.
  private final Map<Path, ReplicaSession> sessions = new HashMap<>();
  private final Set<Path> fencing = new HashSet<>();
  private final Map<Path, Integer> failedSyncs = new HashMap<>();
  private boolean stopped;

  /**
   * Starts without sessions.
   *
   * @param directories opens the directory of a replica
   * @param boot changes after each event that may lose unsynced data
   */
  public ReplicaHost(Function<Path, ReplicaDirectory> directories, String boot) {
    this.directories = directories;
    this.boot = boot;
  }

  /**
   * Fences a replica. Earlier sessions end after their running I/O, the token becomes durable, and
   * then the replica belongs to the new session.
   *
   * @param listener called when a later session arrives, on the thread of the fencing engine
   * @throws StorageException CONFLICT when this or a later token was admitted, BUSY when another
   *     process has the directory locked, UNREACHABLE when this host stopped, NOT_FOUND, INVALID,
   *     UNSUPPORTED, IO
   */
  public ReplicaSession fence(
      ReplicaLocation location, Token token, ReplicaSession.Listener listener)
      throws StorageException {
    return fence(location, token, listener, Optional.empty());
  }

  /**
   * Fences a replica as above.
   *
   * @param left index that an earlier session of the same generation, perhaps in another bundle,
   *     has left
   */
  public ReplicaSession fence(
      ReplicaLocation location,
      Token token,
      ReplicaSession.Listener listener,
      Optional<InheritedIndex> left)
      throws StorageException {
    Path key = key(location);
    Optional<InheritedIndex> heritage = left;
    begin(key);
    try {
      ReplicaSession earlier = session(key);
      if (earlier != null) {
        if (!earlier.token().isBefore(token)) {
          throw new StorageException(
              ErrorCode.CONFLICT,
              "replica "
                  + location.replica()
                  + " admitted engine "
                  + earlier.token()
                  + ", not earlier than "
                  + token);
        }
        earlier.supersede(token);
        heritage = earlier.replica().heritage(earlier.token());
      }
      LocalReplica replica =
          LocalFence.fence(
              location,
              directories.apply(location.directory()),
              token,
              boot,
              failedSyncs(key),
              incarnation,
              heritage);
      ReplicaSession session = new ReplicaSession(token, replica, listener);
      replica.watch(() -> ended(key, session), failures -> unsynced(key, failures));
      if (!begun(key, session)) {
        session.leave();
        throw stopped(key);
      }
      return session;
    } finally {
      end(key);
    }
  }

  private synchronized boolean begun(Path key, ReplicaSession session) {
    if (!stopped) {
      sessions.put(key, session);
    }
    return !stopped;
  }

  // No lock is held while an earlier session ends, because that waits for its engine.
  private synchronized void begin(Path key) throws StorageException {
    while (!fencing.add(key)) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StorageException(ErrorCode.IO, "interrupted while fencing " + key, e);
      }
    }
    if (stopped) {
      end(key);
      throw stopped(key);
    }
  }

  private static StorageException stopped(Path key) {
    return new StorageException(
        ErrorCode.UNREACHABLE,
        "replica at " + key + ": this version of the engine stopped; the next one serves it");
  }

  private synchronized void end(Path key) {
    fencing.remove(key);
    notifyAll();
  }

  private synchronized ReplicaSession session(Path key) {
    return sessions.get(key);
  }

  // Recorded in the directory too, if it is writable.
  private synchronized void unsynced(Path key, int failures) {
    failedSyncs.put(key, failures);
  }

  private synchronized int failedSyncs(Path key) {
    return failedSyncs.getOrDefault(key, 0);
  }

  private synchronized void ended(Path key, ReplicaSession session) {
    sessions.remove(key, session);
  }

  /** Returns the session that a data connection names, empty when it has ended or never existed. */
  public synchronized Optional<ReplicaSession> find(String volume, String replica, Token token) {
    return sessions.values().stream()
        .filter(session -> session.token().equals(token))
        .filter(session -> session.replica().location().volume().equals(volume))
        .filter(session -> session.replica().name().equals(replica))
        .findFirst();
  }

  /** Returns a replica that has a session, of an engine on this or another node. */
  synchronized Optional<LocalReplica> held(ReplicaLocation location) {
    return Optional.ofNullable(sessions.get(key(location))).map(ReplicaSession::replica);
  }

  /** Returns whether the replica has a session. */
  public synchronized boolean holds(ReplicaLocation location) {
    return sessions.containsKey(key(location));
  }

  /**
   * Stops admitting engines, because another host object will serve these replicas. A fence in
   * progress fails and unlocks its replica. Sessions that began earlier end with their owners.
   */
  public synchronized void stop() {
    stopped = true;
  }

  /** Ends all sessions; their engines lose their links. */
  public void endAll() {
    List<ReplicaSession> all;
    synchronized (this) {
      all = List.copyOf(sessions.values());
    }
    all.forEach(ReplicaSession::close);
  }

  private static Path key(ReplicaLocation location) {
    return location.directory().normalize();
  }
}
