package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.link.ReplicaLinks;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.simulation.Rule;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Delivers messages between nodes with delays, in order on each connection only. Between
 * partitioned nodes they wait until the partition ends, as in a socket, or their connection is
 * lost.
 */
final class SimulatedNetwork {
  static final long MILLI = 1_000_000;

  private final Scheduler scheduler;
  private final Random random;
  private final Rule without;
  private final Map<String, SimulatedNode> nodes = new HashMap<>();
  private final Set<String> parted = new HashSet<>();
  private final Map<String, Long> joined = new HashMap<>();
  private final Map<String, Long> latest = new HashMap<>();
  private final List<SimulatedLink> links = new ArrayList<>();
  private final Map<SparseEngine, List<ReplicaSession>> sessions = new HashMap<>();
  private final Set<SparseEngine> stopped = new HashSet<>();

  SimulatedNetwork(Scheduler scheduler, Random random, Rule without) {
    this.scheduler = scheduler;
    this.random = random;
    this.without = without;
  }

  void add(SimulatedNode node) {
    nodes.put(node.name(), node);
  }

  Scheduler scheduler() {
    return scheduler;
  }

  /** Returns whether a host still serves a session that has ended. */
  boolean isAdmitted(Token token, String node) {
    return without == Rule.FENCING
        || (without == Rule.SESSION_RAISED && latest.getOrDefault(node, 0L) == token.generation());
  }

  private static String pair(String one, String other) {
    return one.compareTo(other) < 0 ? one + other : other + one;
  }

  void part(String one, String other) {
    parted.add(pair(one, other));
  }

  void join() {
    parted.forEach(pair -> joined.put(pair, scheduler.now()));
    parted.clear();
  }

  /** Returns whether two nodes are partitioned, or were at some time since then. */
  boolean partedSince(String one, String other, long time) {
    return parted(one, other) || joined.getOrDefault(pair(one, other), -1L) >= time;
  }

  boolean parted(String one, String other) {
    return !one.equals(other) && parted.contains(pair(one, other));
  }

  /** Loses connections between two nodes. Sent messages may still arrive. */
  void hangUp(String one, String other) {
    for (SimulatedLink link : List.copyOf(links)) {
      if (pair(link.from(), link.to()).equals(pair(one, other))) {
        link.lose(unreachable(link.to()));
      }
    }
  }

  /**
   * Stops the service of a node, which ends the sessions of other nodes' engines. They detect it
   * soon.
   */
  void serviceStops(String node, SparseEngine engine) {
    stopped.add(engine);
    for (SimulatedLink link : List.copyOf(links)) {
      if (link.to().equals(node)) {
        link.lose(unreachable(node));
      }
    }
    sessions.getOrDefault(engine, List.of()).forEach(ReplicaSession::leave);
    sessions.remove(engine);
  }

  private Serving serve(SparseEngine engine, ReplicaLocation location, Token token)
      throws StorageException {
    ReplicaSession session = engine.host().fence(location, token, by -> {});
    if (stopped.contains(engine)) {
      session.leave();
      throw unreachable(location.nodeId());
    }
    sessions.computeIfAbsent(engine, any -> new ArrayList<>()).add(session);
    return new Serving(session, Scheduler.process());
  }

  /** Records the death of a process. Engines that are connected to it detect it soon. */
  void died(String node) {
    for (SimulatedLink link : List.copyOf(links)) {
      if (link.to().equals(node)) {
        link.lose(unreachable(node));
      } else if (link.from().equals(node)) {
        links.remove(link);
      }
    }
  }

  void forget(SimulatedLink link) {
    links.remove(link);
  }

  long delay() {
    return random.nextInt(20) == 0
        ? (long) (random.nextDouble() * 60 * MILLI)
        : (long) (random.nextDouble() * 1.5 * MILLI);
  }

  /** Work of a node for a call. */
  interface Question<T> {
    T at(SparseEngine engine) throws StorageException;
  }

  /** Reply to a call. */
  private static final class Answer<T> {
    private boolean there;
    private T value;
    private StorageException failure;

    synchronized void put(T answer, StorageException cause) {
      there = true;
      value = answer;
      failure = cause;
      notifyAll();
    }

    synchronized T await(Duration longest, String node) throws StorageException {
      long end = System.nanoTime() + longest.toNanos();
      try {
        while (!there && System.nanoTime() < end) {
          wait(Math.max(1, (end - System.nanoTime()) / MILLI));
        }
      } catch (InterruptedException e) {
        throw new StorageException(ErrorCode.IO, "interrupted", e);
      }
      if (!there) {
        throw new StorageException(ErrorCode.UNREACHABLE, node + " did not answer in time");
      }
      if (failure != null) {
        throw failure;
      }
      return value;
    }
  }

  /** Calls a node and waits for the reply, from a thread of another node's process. */
  <T> T ask(String from, String to, Duration longest, Question<T> question)
      throws StorageException {
    Answer<T> answer = new Answer<>();
    Scheduler.Incarnation asking = Scheduler.process();
    carry(from, to, () -> reach(to, asking, from, question, answer));
    return answer.await(longest, to);
  }

  private <T> void reach(
      String to,
      Scheduler.Incarnation asking,
      String from,
      Question<T> question,
      Answer<T> answer) {
    SimulatedNode node = nodes.get(to);
    if (!node.up()) {
      back(to, from, asking, () -> answer.put(null, unreachable(to)));
      return;
    }
    scheduler.start(
        node.process(),
        () -> {
          T value = null;
          StorageException failure = null;
          try {
            value = question.at(node.engine());
          } catch (StorageException e) {
            failure = e;
          } catch (Scheduler.Killed e) {
            throw e;
          } catch (Error e) {
            // As the server of calls reports it.
            failure = new StorageException(ErrorCode.INTERNAL, "the call failed: " + e, e);
          }
          T got = value;
          StorageException cause = failure;
          back(to, from, asking, () -> answer.put(got, cause));
        });
  }

  private void back(String from, String to, Scheduler.Incarnation asking, Runnable then) {
    carry(from, to, () -> scheduler.start(asking, then));
  }

  /** Runs an action at the other end when a message has arrived there. */
  private void carry(String from, String to, Runnable arrived) {
    scheduler.later(
        Scheduler.WORLD,
        delay(),
        () -> {
          if (parted(from, to)) {
            carry(from, to, arrived);
          } else {
            arrived.run();
          }
        });
  }

  static StorageException unreachable(String node) {
    return new StorageException(ErrorCode.UNREACHABLE, node + " cannot be reached");
  }

  /** A session and the only process that serves it. */
  private record Serving(ReplicaSession session, Scheduler.Incarnation process) {}

  ReplicaLinks linksOf(String from) {
    return (location, token, timeout, listener) -> {
      String to = location.nodeId();
      Serving serving = ask(from, to, timeout, engine -> serve(engine, location, token));
      // The process may have died while its reply was in transit. The next process there does not
      // have the session and would not end it for a later engine.
      if (serving.process().dead()) {
        throw unreachable(to);
      }
      SimulatedLink link =
          new SimulatedLink(
              this, from, to, serving.process(), serving.session(), timeout, listener);
      links.add(link);
      latest.merge(to, token.generation(), Math::max);
      return link;
    };
  }
}
