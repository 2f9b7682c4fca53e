package dev.holdfast.portal.internal.replace;

import dev.holdfast.portal.internal.session.ClientConnection;
import dev.holdfast.portal.internal.session.FrontendCalls;
import dev.holdfast.portal.internal.session.FrontendServices;
import dev.holdfast.portal.internal.transport.ReplacementLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the sessions of one frontend's connections to their target service, a few at a time. An
 * idle thread reads the present state of the connections when a service arrived or a session became
 * free. The removal of a bundle makes a separate pass.
 */
public final class SessionMover implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SessionMover.class);
  private static final int AT_ONCE = 8;
  private static final long RETRY_MILLIS = 100;
  private static final Duration CLAIM = Duration.ofMillis(250);

  private final FrontendServices services;
  private final Supplier<Collection<ClientConnection>> connections;
  private final FrontendCalls calls;
  private final ReplacementLog history;
  private final ReplacementLimits limits;
  private final ReentrantLock passes = new ReentrantLock();
  private volatile boolean urgent;
  private boolean woken;
  private boolean closed;

  public SessionMover(
      FrontendServices services,
      Supplier<Collection<ClientConnection>> connections,
      FrontendCalls calls,
      ReplacementLog history,
      ReplacementLimits limits) {
    this.services = services;
    this.connections = connections;
    this.calls = calls;
    this.history = history;
    this.limits = limits;
  }

  public void start(String name) {
    Thread thread = new Thread(this::run, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Requests another pass; never blocks. */
  public synchronized void wake() {
    woken = true;
    notifyAll();
  }

  /**
   * Moves or parks all sessions of removed services, and waits for their calls and requests up to a
   * limit. Sessions that are still busy then are moved when their requests have ended.
   */
  public void moveNow() {
    urgent = true;
    long deadline = System.nanoTime() + limits.leave().toNanos();
    passes.lock();
    try {
      urgent = false;
      boolean unused = pass(() -> Math.max(0, deadline - System.nanoTime()));
    } finally {
      passes.unlock();
      wake();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }

  private void run() {
    boolean again = false;
    while (awaitWork(again)) {
      try {
        again = patientPass();
      } catch (RuntimeException e) {
        log.error("could not move sessions, retrying", e);
        again = true;
      }
    }
  }

  private synchronized boolean awaitWork(boolean again) {
    try {
      if (again && !woken && !closed) {
        TimeUnit.MILLISECONDS.timedWait(this, RETRY_MILLIS);
      }
      while (!again && !woken && !closed) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    woken = false;
    return !closed;
  }

  /** Returns whether a move must be retried. */
  private boolean patientPass() {
    passes.lock();
    try {
      return pass(CLAIM::toNanos);
    } finally {
      passes.unlock();
    }
  }

  private boolean pass(LongSupplier patienceNanos) {
    boolean again = false;
    List<ClientConnection> group = new ArrayList<>(AT_ONCE);
    for (ClientConnection connection : connections.get()) {
      if (urgent) {
        return true;
      }
      if (connection.slot().due(services.target())) {
        group.add(connection);
      }
      if (group.size() == AT_ONCE) {
        again |= move(group, Duration.ofNanos(patienceNanos.getAsLong()));
        group.clear();
      }
    }
    again |= move(group, Duration.ofNanos(patienceNanos.getAsLong()));
    history.tell();
    return again;
  }

  private boolean move(List<ClientConnection> group, Duration patience) {
    List<Future<Boolean>> moves = new ArrayList<>();
    for (ClientConnection connection : group) {
      SessionMove move = new SessionMove(connection, services, calls, history, limits);
      moves.add(calls.submit(() -> move.run(patience)));
    }
    boolean again = false;
    for (Future<Boolean> move : moves) {
      again |= outcome(move);
    }
    return again;
  }

  private static boolean outcome(Future<Boolean> move) {
    try {
      return move.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("moving a session failed", e.getCause());
    }
  }
}
