package dev.holdfast.portal.internal.session;

import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.SessionState;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The place of a connection's session, in which one session follows another. The connection's
 * thread enters it for each batch; the mover claims it between two batches:
 *
 * <pre>
 *   VACANT --reserve--> CALLING &lt;--exit, enter--> IDLE
 *                                                  | claim            settle: the next session
 *                                                  v                        |
 *      PARKED --claim--> MOVING ------------------------------------------> IDLE
 *        ^                 |  ^
 *        '----- park ------'  '-- claim, once stopped -- DRAINING (its requests are at a device)
 *   any --end--> ENDED
 * </pre>
 *
 * <p>A claim during a call is granted at the end of the call, before the next one: no call is
 * interrupted. Thread-safe. Only the claimer calls the methods that say so.
 */
public final class SessionSlot {
  private enum Phase {
    VACANT,
    CALLING,
    IDLE,
    MOVING,
    DRAINING,
    PARKED,
    ENDED
  }

  /** Findings of the connection's thread. */
  enum Entry {
    /** The session was entered; the caller has it until {@link #exit}. */
    ENTERED,
    /**
     * Another session than before; it was not entered. The caller must continue on a new thread, so
     * that the former session leaves no thread-local state.
     */
    RENEWED,
    /** The slot has no session, and will not get one. */
    ENDED
  }

  /** Results of a claim. */
  public enum Claim {
    CLAIMED,
    /** The session is in a call, or its requests are at a device. */
    BUSY,
    /** The slot has no session to move. */
    NOTHING
  }

  private static final long FOREVER = Long.MAX_VALUE;

  private final Runnable changed;
  private Phase phase = Phase.VACANT;
  private FrontendService owner;
  private FrontendSession session;
  private SessionConnection view;
  private SessionState state;
  private boolean claimed;
  private boolean held;
  private boolean stopAsked;
  private boolean stopped;
  private boolean renewed;
  private boolean abandoned;
  private int calledSince;
  private Thread caller;
  private int waitsSince;
  private long pausedNanos;

  /**
   * Creates a vacant slot.
   *
   * @param changed called when a claim that failed may now succeed
   */
  SessionSlot(Runnable changed) {
    this.changed = changed;
  }

  /** Reserves the slot for a session that is opened next. Called by the connection's thread. */
  synchronized void reserve(FrontendService service, int now) {
    owner = service;
    phase = Phase.CALLING;
    calledSince = now;
    caller = Thread.currentThread();
  }

  /** Puts the opened session into the reserved slot; the call has returned. */
  synchronized void opened(FrontendSession opened, SessionConnection its) {
    session = opened;
    view = its;
    exit();
  }

  /** Waits for the session. Returns whether the caller may use it. */
  synchronized Entry enter(int now) {
    while (phase != Phase.IDLE || held) {
      if (abandoned || phase == Phase.ENDED) {
        return Entry.ENDED;
      }
      pause(FOREVER);
    }
    if (renewed) {
      renewed = false;
      return Entry.RENEWED;
    }
    phase = Phase.CALLING;
    calledSince = now;
    caller = Thread.currentThread();
    return Entry.ENTERED;
  }

  /** Returns the session that was entered or claimed. */
  public FrontendSession session() {
    return session;
  }

  /** Leaves the entered session. */
  synchronized void exit() {
    phase = Phase.IDLE;
    if (claimed) {
      toMoving();
      notifyAll();
    } else if (held) {
      changed.run();
    }
  }

  /** Admits no further calls after the running one. */
  public synchronized void hold() {
    held = true;
  }

  /** Makes the connection's thread stop waiting for a session, because the connection ends. */
  synchronized void abandon() {
    abandoned = true;
    notifyAll();
  }

  /**
   * Ends the session and waits until its last request has left the device. Called by the
   * connection's thread.
   */
  void end() {
    boolean mustStop;
    boolean mustWait;
    synchronized (this) {
      abandoned = true;
      while (phase == Phase.MOVING) {
        pause(FOREVER);
      }
      mustStop = session != null && (phase == Phase.IDLE || phase == Phase.CALLING);
      mustWait = mustStop || phase == Phase.DRAINING;
      phase = Phase.ENDED;
      notifyAll();
    }
    if (mustStop) {
      session.stop(this::stopped);
    }
    synchronized (this) {
      while (mustWait && !stopped) {
        pause(FOREVER);
      }
      vacate();
      owner = null;
    }
  }

  /** Takes the session from the connection's thread after the running call. */
  public synchronized Claim claim(long nanos) {
    if (phase == Phase.CALLING && nanos > 0) {
      long deadline = System.nanoTime() + nanos;
      claimed = true;
      while (phase == Phase.CALLING && deadline - System.nanoTime() > 0) {
        pause(deadline - System.nanoTime());
      }
      claimed = false;
      if (phase == Phase.MOVING) {
        return Claim.CLAIMED;
      }
    }
    return switch (phase) {
      case CALLING -> Claim.BUSY;
      case DRAINING -> stopped ? toMoving() : Claim.BUSY;
      case IDLE, PARKED -> toMoving();
      case VACANT, MOVING, ENDED -> Claim.NOTHING;
    };
  }

  /** For the claimer: returns whether a session is here that was not told to stop. */
  public boolean running() {
    return session != null && !stopAsked;
  }

  /** For the claimer: requests the session to stop. Calls the frontend's code. */
  public void stop() {
    stopAsked = true;
    session.stop(this::stopped);
  }

  /** For the claimer: returns the state that the last session left. */
  public SessionState state() {
    return state;
  }

  /** Returns the service of the present or last session. */
  public synchronized Optional<FrontendService> owner() {
    return Optional.ofNullable(owner);
  }

  private synchronized void stopped() {
    stopped = true;
    notifyAll();
    if (phase == Phase.DRAINING) {
      changed.run();
    }
  }

  /** For the claimer: waits until no request of the session is at a device. */
  public synchronized boolean awaitStopped(long nanos) {
    long deadline = System.nanoTime() + nanos;
    while (!stopped && deadline - System.nanoTime() > 0) {
      pause(deadline - System.nanoTime());
    }
    return stopped;
  }

  /** For the claimer: ends the claim without a change. */
  public synchronized void release() {
    if (phase != Phase.MOVING) {
      return;
    }
    if (session == null) {
      phase = Phase.PARKED;
    } else if (!stopAsked) {
      phase = Phase.IDLE;
    } else {
      phase = Phase.DRAINING;
      if (stopped) {
        changed.run();
      }
    }
    notifyAll();
  }

  /** For the claimer: replaces the session by the state that it left. */
  public synchronized void parked(SessionState left) {
    vacate();
    state = left;
  }

  /** For the claimer: installs a resumed session. Returns the duration without a session. */
  public synchronized long settle(
      FrontendService service, FrontendSession next, SessionConnection its) {
    owner = service;
    session = next;
    view = its;
    state = null;
    stopAsked = false;
    stopped = false;
    renewed = true;
    held = false;
    phase = Phase.IDLE;
    its.activate();
    notifyAll();
    return System.nanoTime() - pausedNanos;
  }

  /** For the claimer: removes an unusable session; none follows it. */
  public synchronized void lose() {
    vacate();
    phase = Phase.ENDED;
    notifyAll();
  }

  /** Returns whether the mover can act on this slot now. */
  public synchronized boolean due(Optional<FrontendService> target) {
    return switch (phase) {
      case VACANT, MOVING, ENDED -> false;
      case DRAINING -> stopped;
      case PARKED -> target.isPresent();
      case CALLING, IDLE -> replaceable() && belongsElsewhere(target);
    };
  }

  /** Returns whether its session waits because the bundle that served it was removed. */
  public synchronized boolean waiting() {
    return phase == Phase.PARKED || (held && phase != Phase.ENDED);
  }

  /** Returns whether the session cannot outlive its removed bundle. */
  public synchronized boolean stranded() {
    return session != null && !owner.present() && !replaceable();
  }

  /** Returns whether no bundle serves the session at present. */
  public synchronized boolean moving() {
    return phase == Phase.PARKED || phase == Phase.DRAINING || phase == Phase.MOVING;
  }

  /** Returns whether a session of the given service is here. */
  @SuppressWarnings("ReferenceEquality") // Compares with exactly that service.
  public synchronized boolean served(FrontendService service) {
    return session != null && owner == service;
  }

  /** Returns for how many ticks the session has waited for a bundle. */
  synchronized int waitedFor(int now) {
    waitsSince = !waiting() ? 0 : waitsSince == 0 ? now : waitsSince;
    return waitsSince == 0 ? 0 : now - waitsSince;
  }

  /** Returns for how many ticks the session has been in one call. */
  synchronized int calledFor(int now) {
    return phase == Phase.CALLING ? now - calledSince : 0;
  }

  // A session that is being opened may prove to be replaceable.
  private boolean replaceable() {
    return session == null || session instanceof ReplaceableSession;
  }

  @SuppressWarnings("ReferenceEquality") // Compares with exactly that service.
  private boolean belongsElsewhere(Optional<FrontendService> target) {
    return !owner.present()
        || target.filter(best -> best != owner && best.replaceable().isPresent()).isPresent();
  }

  /** Returns the stack of a call that has lasted for this number of ticks; empty when none has. */
  synchronized Optional<StackTraceElement[]> stackOfCall(int now, int ticks) {
    return calledFor(now) >= ticks ? Optional.of(caller.getStackTrace()) : Optional.empty();
  }

  private Claim toMoving() {
    if (phase == Phase.IDLE) {
      pausedNanos = System.nanoTime();
    }
    phase = Phase.MOVING;
    return Claim.CLAIMED;
  }

  private void vacate() {
    if (view != null) {
      view.revoke();
    }
    view = null;
    session = null;
  }

  @SuppressWarnings("WaitNotInLoop") // Every caller loops on its own condition.
  private void pause(long nanos) {
    try {
      if (nanos == FOREVER) {
        wait();
      } else {
        TimeUnit.NANOSECONDS.timedWait(this, nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a session", e);
    }
  }
}
