package dev.holdfast.sharing.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.share.LeasedShares;
import dev.holdfast.share.LocalShares;
import dev.holdfast.share.ShareInstance;
import dev.holdfast.share.ShareServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the servers of a node that cannot renew its lease, because another node may serve their
 * shares soon. A server stays while its volume makes writes durable: the next opening of the volume
 * fences this one, so such a write shows that no other node serves. Without the store and without a
 * durable write for {@link #LIMIT} the server ends, which is before others count the node as silent
 * ({@link ShareLeases#DURATION}). A server whose volume was taken over ends at once, because its
 * writes wait and another node needs its address. The guard does not call the store, because a call
 * may take a minute on a network that drops packets. Thread-safe.
 */
final class ServerGuard {
  /**
   * Time after the last renewal of the lease, or the last durable write, in which a server stays.
   */
  static final Duration LIMIT = Duration.ofSeconds(6);

  /** Age of the lease from which writes are made. */
  static final Duration SUSPICION = Duration.ofMillis(3500);

  /** Minimum time for writes, also after a pause of the whole container. */
  static final Duration DOUBT = Duration.ofSeconds(2);

  /** Longest time that one write may take. */
  static final Duration WRITE = Duration.ofSeconds(4);

  /** Minimum time that processes get. It covers pauses of this process. */
  static final Duration LEAST = Duration.ofSeconds(3);

  /** Time that processes get while the bundles that prolong it are replaced. */
  static final Duration REPLACEMENT = Duration.ofSeconds(60);

  /** Period at which {@link #look} must be called. */
  static final Duration PERIOD = Duration.ofMillis(500);

  private static final Logger LOG = LoggerFactory.getLogger(ServerGuard.class);

  private final ShareServers servers;
  private final Supplier<Set<String>> takenOver;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final Map<ShareInstance, Watch> watches = new ConcurrentHashMap<>();
  private volatile long renewed;
  private volatile boolean resting;
  private volatile boolean alone;
  private boolean replaced;

  /**
   * Creates the guard. First, an engine may open its volumes within {@link ServerStep#AWAY}.
   *
   * @param takenOver returns the volumes that this node had open and a later opening took over
   * @param executor for writes and removals, each of which may take seconds
   * @param nanoTime monotonic clock, as {@link System#nanoTime}
   */
  ServerGuard(
      ShareServers servers,
      Supplier<Set<String>> takenOver,
      Executor executor,
      LongSupplier nanoTime) {
    this.servers = servers;
    this.takenOver = takenOver;
    this.executor = executor;
    this.nanoTime = nanoTime;
    this.renewed = nanoTime.getAsLong() + ServerStep.AWAY.minus(LIMIT).toNanos();
  }

  /** Returns the time for {@link #renewed}. The caller reads it before it sends the lease. */
  long now() {
    return nanoTime.getAsLong();
  }

  /** Records that the store has the lease that was sent at the given time. */
  void renewed(long sent) {
    resting = false;
    renewed = Math.max(renewed, sent);
  }

  /** Records that this node needs no lease. */
  void rest() {
    resting = true;
  }

  /** Sets whether this node alone can serve shares. In that case no server must end. */
  void alone(boolean value) {
    alone = value;
  }

  /** Records that another bundle will guard the servers soon, in the same running container. */
  void replaced() {
    prolong(Optional.of(REPLACEMENT));
    synchronized (this) {
      replaced = true;
    }
  }

  /**
   * Prolongs the time of the processes when the container stops, until the lease has the age at
   * which this guard would end them.
   */
  private void prolong() {
    Duration left = LIMIT.minusNanos(Math.max(0, now() - renewed));
    prolong(
        resting || alone
            ? Optional.empty()
            : Optional.of(left.compareTo(LEAST) < 0 ? LEAST : left));
  }

  private synchronized void prolong(Optional<Duration> limit) {
    if (replaced) {
      return;
    }
    for (ShareServer server : servers.all()) {
      if (server instanceof LeasedShares leased) {
        try {
          leased.prolong(limit);
        } catch (StorageException e) {
          LOG.warn("{}: could not extend the time limit of its servers", server.protocol(), e);
        }
      }
    }
  }

  /** Checks the servers of this node once. */
  void look() {
    prolong();
    Set<String> lost = takenOver.get();
    boolean suspect = !resting && now() - renewed >= SUSPICION.toNanos();
    if (!suspect && lost.isEmpty()) {
      watches.clear();
      return;
    }
    List<ShareInstance> watched = new ArrayList<>();
    for (ShareServer server : servers.all()) {
      for (ShareInstance instance : instances(server)) {
        boolean superseded = lost.contains(instance.volume());
        if (superseded || suspect) {
          watched.add(instance);
          watches.computeIfAbsent(instance, key -> new Watch(server, key)).look(superseded);
        }
      }
    }
    watches.keySet().retainAll(watched);
  }

  private static List<ShareInstance> instances(ShareServer server) {
    try {
      return server.instances();
    } catch (StorageException e) {
      LOG.warn(
          "{}: could not list the servers of this node: {}", server.protocol(), e.getMessage());
      return List.of();
    }
  }

  /** State of one server while the lease is old. */
  private final class Watch {
    private final LocalShares server;
    private final ShareInstance instance;
    private long proven = renewed;
    private Optional<Long> doubted = Optional.empty();
    private boolean writing;
    private boolean ending;

    Watch(LocalShares server, ShareInstance instance) {
      this.server = server;
      this.instance = instance;
    }

    void look(boolean superseded) {
      boolean write;
      boolean end;
      synchronized (this) {
        end = (superseded || isOver(now())) && claimsEnd();
        write = !writing && !ending;
        writing |= write;
      }
      if (end) {
        executor.execute(this::end);
      } else if (write) {
        executor.execute(this::write);
      }
    }

    private boolean isOver(long now) {
      return now - Math.max(proven, renewed) >= LIMIT.toNanos()
          && doubted.filter(since -> now - since >= DOUBT.toNanos()).isPresent();
    }

    private void write() {
      long began = begin();
      try {
        switch (server.probe(instance, WRITE)) {
          case WRITTEN -> proven(began);
          case FAILED -> failed();
          case NOT_MOUNTED, FULL, TIMED_OUT -> {}
        }
      } catch (StorageException e) {
        LOG.debug("share {}: could not probe its server: {}", instance.volume(), e.getMessage());
      } finally {
        synchronized (this) {
          writing = false;
        }
      }
    }

    private synchronized long begin() {
      long began = now();
      if (doubted.isEmpty()) {
        doubted = Optional.of(began);
      }
      return began;
    }

    private synchronized void proven(long began) {
      proven = began;
      doubted = Optional.empty();
    }

    private synchronized boolean claimsEnd() {
      boolean claimed = !ending;
      ending = true;
      return claimed;
    }

    /** Handles a fenced or lost device. */
    private void failed() {
      if (claimsEnd()) {
        end();
      }
    }

    /** Ends the server. Repeated until all its parts are removed. */
    private void end() {
      LOG.warn(
          "share {}: removing the server, because the volume does not accept writes and another node"
              + " may serve",
          instance.volume());
      try {
        server.expel(instance);
      } catch (StorageException e) {
        LOG.warn("share {}: {}; trying again", instance.volume(), e.getMessage());
      } finally {
        synchronized (this) {
          ending = false;
        }
      }
    }
  }
}
