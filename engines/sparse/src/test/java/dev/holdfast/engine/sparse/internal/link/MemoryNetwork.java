package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A network in memory between an engine and the hosts of replicas. A node can be cut off (links are
 * lost, and no link can be made), silent (no reply is sent), and hang up (links are lost, and can
 * be made again). Requests sent before may still take effect at the host, unless they were fenced.
 */
public final class MemoryNetwork implements ReplicaLinks {
  private final Function<String, ReplicaHost> hosts;
  private final Executor executor;
  private final BooleanSupplier crashed;

  // Guarded by this.
  private final List<MemoryLink> links = new ArrayList<>();
  private final Set<String> away = new HashSet<>();
  private final Set<String> silent = new HashSet<>();
  private final Set<String> losing = new HashSet<>();
  private boolean killed;
  private int connections;
  private int vainAttempts;

  /** Creates a network in which every node is reachable and answers. */
  public MemoryNetwork(Function<String, ReplicaHost> hosts, Executor executor) {
    this(hosts, executor, () -> false);
  }

  /** Creates a network of an engine that can be killed. */
  public MemoryNetwork(
      Function<String, ReplicaHost> hosts, Executor executor, BooleanSupplier crashed) {
    this.hosts = hosts;
    this.executor = executor;
    this.crashed = crashed;
  }

  synchronized int connections() {
    return connections;
  }

  /** Loses the links of a node; new ones can be made. */
  public void hangUp(String node) {
    for (MemoryLink link : take(node)) {
      link.lose(new StorageException(ErrorCode.UNREACHABLE, node + ": connection reset"));
    }
  }

  void cutOff(String node) {
    synchronized (this) {
      away.add(node);
    }
    hangUp(node);
  }

  synchronized void silence(String node) {
    silent.add(node);
  }

  synchronized void heal(String node) {
    away.remove(node);
    silent.remove(node);
    notifyAll();
  }

  /** Fails all later calls of the engine, as when its process was killed. */
  public synchronized void kill() {
    killed = true;
  }

  synchronized boolean killed() {
    return killed || crashed.getAsBoolean();
  }

  /** Loses the link of a node instead of delivering its next answer. */
  public synchronized void loseAnswer(String node) {
    losing.add(node);
  }

  synchronized boolean answerLost(String node) {
    return losing.remove(node);
  }

  private synchronized List<MemoryLink> take(String node) {
    List<MemoryLink> taken = new ArrayList<>(links);
    taken.removeIf(link -> !link.node().equals(node));
    links.removeAll(taken);
    return taken;
  }

  synchronized boolean answers(String node) {
    return !silent.contains(node);
  }

  @Override
  public ReplicaSessionLink connect(
      ReplicaLocation location, Token token, Duration timeout, Listener listener)
      throws StorageException {
    String node = location.nodeId();
    checkThere(node);
    ReplicaSession session = hosts.apply(node).fence(location, token, by -> {});
    MemoryLink link = new MemoryLink(this, node, session, executor, listener);
    synchronized (this) {
      if (!killed() && !away.contains(node)) {
        connections++;
        links.add(link);
        return link;
      }
    }
    throw unreachable(node);
  }

  /** Waits until the given number of further attempts to connect failed. */
  synchronized void awaitVainAttempts(int more) throws InterruptedException {
    int enough = vainAttempts + more;
    while (vainAttempts < enough) {
      wait();
    }
  }

  private synchronized void checkThere(String node) throws StorageException {
    if (killed()) {
      throw new StorageException(ErrorCode.IO, node + ": killed");
    }
    if (away.contains(node) || silent.contains(node)) {
      vainAttempts++;
      notifyAll();
      throw unreachable(node);
    }
  }

  static StorageException unreachable(String node) {
    return new StorageException(ErrorCode.UNREACHABLE, node + " cannot be reached");
  }
}
