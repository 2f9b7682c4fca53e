package dev.holdfast.engine.sparse.internal.serve;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sessions that engines on other nodes have with replicas of this one. Thread-safe. */
public final class ServedSessions {
  /** File that every disk of a node carries. */
  private static final String DISK_MARK = "longhorn-disk.cfg";

  /** Number of consecutive unused checks after which a session ends. */
  private static final int UNUSED_LOOKS = 4;

  private static final Logger LOG = LoggerFactory.getLogger(ServedSessions.class);

  private record Key(String volume, String replica, Token token) {}

  private final ReplicaHost host;
  private final Portal portal;
  private final Executor executor;
  private final Map<Key, ServedSession> sessions = new ConcurrentHashMap<>();
  private volatile boolean left;
  private volatile boolean stopped;

  public ServedSessions(ReplicaHost host, Portal portal, Executor executor) {
    this.host = host;
    this.portal = portal;
    this.executor = executor;
  }

  ServedSession fence(ReplicaLocation location, Token token) throws StorageException {
    checkPlace(location);
    ServedSession served = new ServedSession(location, token);
    checkServing();
    ReplicaSession session = host.fence(location, token, served);
    boolean done = false;
    try {
      served.serve(session, portal, executor);
      sessions.put(new Key(location.volume(), location.replica(), token), served);
      if (!serving()) {
        leaveAll();
      }
      checkServing();
      sessions
          .keySet()
          .removeIf(key -> host.find(key.volume(), key.replica(), key.token()).isEmpty());
      done = true;
      return served;
    } finally {
      if (!done) {
        session.close();
      }
    }
  }

  private boolean serving() {
    return !left && !stopped;
  }

  private void checkServing() throws StorageException {
    if (!serving()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, "the replicas of this node are served by another bundle now");
    }
  }

  /**
   * Returns the session that a call names.
   *
   * @throws StorageException FORBIDDEN when a later session ended it; UNREACHABLE when this process
   *     does not know it, so that the engine may fence the replica with another session
   */
  public ServedSession find(String volume, String replica, Token token) throws StorageException {
    ServedSession served = sessions.get(new Key(volume, replica, token));
    if (served == null || host.find(volume, replica, token).isEmpty()) {
      throw new StorageException(
          superseded(volume, replica, token) ? ErrorCode.FORBIDDEN : ErrorCode.UNREACHABLE,
          "replica " + replica + " of volume " + volume + " has no session " + token + " here");
    }
    served.called();
    return served;
  }

  // Earlier releases treat FORBIDDEN as the admission of a later engine.
  private boolean superseded(String volume, String replica, Token token) {
    return sessions.keySet().stream()
        .filter(key -> key.volume().equals(volume) && key.replica().equals(replica))
        .anyMatch(key -> token.isBefore(key.token()));
  }

  /**
   * Releases replicas whose engines have vanished. Called periodically; ends a session that was
   * unused at several consecutive calls. A returning engine starts a new session.
   */
  public void endUnused() {
    for (Map.Entry<Key, ServedSession> entry : List.copyOf(sessions.entrySet())) {
      Key key = entry.getKey();
      if (entry.getValue().unused() >= UNUSED_LOOKS && sessions.remove(key, entry.getValue())) {
        entry.getValue().leave();
        LOG.info(
            "replica {}: closed because engine {} sent no requests", key.replica(), key.token());
      }
    }
  }

  /** Ends a session; succeeds when it does not exist. */
  void close(String volume, String replica, Token token) {
    ServedSession served = sessions.remove(new Key(volume, replica, token));
    if (served != null) {
      served.close();
    }
  }

  /**
   * Ends all sessions, because another bundle serves this node's replicas; engines reconnect there.
   *
   * @param leave whether to refuse new sessions
   */
  public void giveWay(boolean leave) {
    left = leave;
    if (leave) {
      leaveAll();
    }
  }

  /**
   * Ends all sessions for the bundle that serves this node's replicas next, and refuses new ones. A
   * fence in progress fails and unlocks its replica.
   */
  public void stop() {
    stopped = true;
    leaveAll();
  }

  /** Ends all sessions in favour of the next server of this node's replicas. */
  public void leaveAll() {
    for (Key key : List.copyOf(sessions.keySet())) {
      ServedSession served = sessions.remove(key);
      if (served != null) {
        served.leave();
      }
    }
  }

  /** Another node must not be able to open arbitrary directories of this node. */
  private static void checkPlace(ReplicaLocation location) throws StorageException {
    Path disk = location.diskPath();
    if (!disk.equals(disk.normalize()) || !Files.isRegularFile(disk.resolve(DISK_MARK))) {
      throw new StorageException(
          ErrorCode.INVALID, "diskPath: " + disk + " is not a disk of this node");
    }
    try {
      Path directory = location.directory();
      if (Files.exists(directory) && !directory.toRealPath().startsWith(disk.toRealPath())) {
        throw new StorageException(
            ErrorCode.INVALID, "directoryName: " + directory + " is not on its disk");
      }
    } catch (IOException e) {
      throw StorageException.io("replica " + location.replica(), e);
    }
  }
}
