package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.block.Completion;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Gate that every request passes on its way in and its answer on the way out. Open, it costs two
 * atomic additions on a counter that threads seldom share. Paused, requests and answers wait here;
 * closed, they fail.
 *
 * <pre>
 *   OPEN <-> PAUSED
 *     |        |
 *     +--> CLOSED
 * </pre>
 */
public final class RequestGate {
  private enum Phase {
    OPEN,
    PAUSED,
    CLOSED
  }

  /** A request or an answer that waits. */
  private record Held(Runnable resume, Completion completion) {}

  private static final int STRIPES = 16;
  // Counters on cache lines of their own.
  private static final int STRIDE_SHIFT = 4;

  private final Executor executor;
  private final AtomicLongArray running = new AtomicLongArray(STRIPES << STRIDE_SHIFT);
  private final Deque<Held> held = new ArrayDeque<>();
  private volatile Phase phase = Phase.OPEN;
  private boolean answersWithheld;
  private StorageException closedBecause;

  /** Creates an open gate whose waiting requests resume on the executor. */
  public RequestGate(Executor executor) {
    this.executor = executor;
  }

  /** Admits a request; a negative ticket means that it must be given to {@link #hold}. */
  public int enter() {
    int ticket = ((int) Thread.currentThread().getId() & (STRIPES - 1)) << STRIDE_SHIFT;
    running.getAndIncrement(ticket);
    if (phase == Phase.OPEN) {
      return ticket;
    }
    leave(ticket);
    return -1;
  }

  /** The request's own work is done; its answer comes after. */
  public void leave(int ticket) {
    running.getAndDecrement(ticket);
    if (phase != Phase.OPEN) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Answers a request, now or, while the gate is paused, later. */
  public void answer(Completion completion, StorageException failure) {
    if (phase == Phase.OPEN || failure != null) {
      completion.completed(failure);
    } else {
      holdAnswer(completion);
    }
  }

  private void holdAnswer(Completion completion) {
    StorageException failure;
    synchronized (this) {
      if (phase == Phase.PAUSED) {
        held.add(new Held(() -> completion.completed(null), completion));
        return;
      }
      // Closed with a decision outstanding: success must not be reported, and is not known to be
      // false.
      failure = phase == Phase.CLOSED && answersWithheld ? closedBecause : null;
    }
    completion.completed(failure);
  }

  /** Keeps a request that was not admitted until the gate opens, or fails it when it is closed. */
  public void hold(Runnable request, Completion completion) {
    StorageException failure;
    synchronized (this) {
      if (phase == Phase.PAUSED) {
        held.add(new Held(request, completion));
        return;
      }
      failure = phase == Phase.CLOSED ? closedBecause : null;
    }
    if (failure == null) {
      executor.execute(request);
    } else {
      completion.completed(failure);
    }
  }

  /**
   * Stops admitting requests. Returns false when the gate is closed.
   *
   * @param withholdAnswers whether answers of a gate closed later must not be successes
   */
  public synchronized boolean pause(boolean withholdAnswers) {
    answersWithheld |= withholdAnswers;
    if (phase == Phase.OPEN) {
      phase = Phase.PAUSED;
    }
    return phase == Phase.PAUSED;
  }

  /** Opens a paused gate and issues the waiting requests. */
  public void open() {
    List<Held> released;
    synchronized (this) {
      if (phase != Phase.PAUSED) {
        return;
      }
      answersWithheld = false;
      phase = Phase.OPEN;
      released = new ArrayList<>(held);
      held.clear();
    }
    if (!released.isEmpty()) {
      executor.execute(() -> released.forEach(waiting -> waiting.resume().run()));
    }
  }

  /** Closes the gate permanently; waiting requests fail. Later calls change nothing. */
  public void close(ErrorCode code, String reason) {
    List<Held> refused;
    StorageException failure;
    synchronized (this) {
      if (phase != Phase.CLOSED) {
        phase = Phase.CLOSED;
        closedBecause = new StorageException(code, reason);
      }
      failure = closedBecause;
      refused = new ArrayList<>(held);
      held.clear();
      notifyAll();
    }
    refused.forEach(waiting -> waiting.completion().completed(failure));
  }

  public synchronized boolean closed() {
    return phase == Phase.CLOSED;
  }

  /** Waits, in a gate that is not open, until no request is in flight. */
  public synchronized void awaitDrained() {
    Uninterruptibly.awaitWhile(this, () -> !drained());
  }

  /** Returns whether a request is in flight at this time. */
  public boolean busy() {
    return !drained();
  }

  private boolean drained() {
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      if (running.get(stripe << STRIDE_SHIFT) != 0) {
        return false;
      }
    }
    return true;
  }
}
