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
 * Gate that every request passes on its way in and its reply on the way out. While open, it costs
 * two atomic additions on a counter that few threads share. While paused, requests and replies wait
 * here; once closed, they fail.
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

  /** A waiting request or reply. */
  private record Held(Runnable resume, Completion completion) {}

  private static final int STRIPES = 16;
  // Counters on separate cache lines.
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

  /**
   * Admits a request. A negative ticket means that the caller must pass the request to {@link
   * #hold}.
   */
  public int enter() {
    int ticket = ((int) Thread.currentThread().getId() & (STRIPES - 1)) << STRIDE_SHIFT;
    running.getAndIncrement(ticket);
    if (phase == Phase.OPEN) {
      return ticket;
    }
    leave(ticket);
    return -1;
  }

  /** Records that the work of a request is done; its reply follows. */
  public void leave(int ticket) {
    running.getAndDecrement(ticket);
    if (phase != Phase.OPEN) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Completes a request: now or, while the gate is paused, later. */
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
      // The gate was closed before a pending decision: success must not be reported, although the
      // request may have succeeded.
      failure = phase == Phase.CLOSED && answersWithheld ? closedBecause : null;
    }
    completion.completed(failure);
  }

  /**
   * Keeps a request that was not admitted until the gate opens; fails it when the gate is closed.
   */
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
   * @param withholdAnswers whether the gate must report no success if it is closed later
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

  /** Waits until no request is in flight. Called while the gate is not open. */
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
