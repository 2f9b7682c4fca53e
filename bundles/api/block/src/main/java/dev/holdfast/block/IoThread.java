package dev.holdfast.block;

import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A thread that handles requests or answers in runs. A run handles all messages of one read from a
 * socket. Code within a run can defer its own sends to the end of the run, so that they are sent
 * together. Devices in between need not know about the run.
 *
 * <pre>
 *   beginRun --defer, defer--> endRun: runs what was deferred
 *                 '--settle (before waiting for anything)--'
 * </pre>
 *
 * <p>If the thread's owner ends the run with a {@link Relief}, a deferred action may do work that
 * can hang, such as a write to a disk. The action exposes the thread during that work. A watchdog
 * may relieve an exposed thread. Another thread then starts the remaining actions and takes over
 * the owner's work between runs. Each action is started by exactly one thread.
 *
 * <pre>
 *   COVERED --expose--> EXPOSED --cover--> COVERED
 *                          '---relieve---> RELIEVED: endRun returns false, the owner stops
 * </pre>
 */
public class IoThread extends Thread {
  private static final int MOST = 64;

  // The thread is covered while the number is even and exposed while it is odd. The odd number is
  // the ticket.
  private static final long RELIEVED = -2;

  /**
   * The deferred actions that a relieved thread has not started.
   *
   * @since 1.2
   */
  public static final class Remainder {
    private final Runnable[] actions;
    private final AtomicBoolean taken = new AtomicBoolean();

    private Remainder(Runnable[] actions) {
      this.actions = actions;
    }
  }

  /**
   * Continues the work of a hanging thread.
   *
   * @since 1.2
   */
  @FunctionalInterface
  public interface Relief {
    /**
     * Starts another {@code IoThread}, which calls {@link IoThread#continueRun} and then does the
     * owner's work after a run. Called once, on the thread of a watchdog; must not block.
     *
     * @param remainder actions that the hanging thread has not started, not null
     */
    void relieve(Remainder remainder);
  }

  private final AtomicLong exposure = new AtomicLong();
  private final Runnable[] deferred = new Runnable[MOST];
  private int begun;
  private int count;
  // The depth exceeds 1 when an action settles.
  private int depth;
  private boolean running;
  private Relief relief;

  /**
   * Creates a daemon thread.
   *
   * @param task work of the thread, not null
   * @param name of the thread, not null
   */
  public IoThread(Runnable task, String name) {
    super(task, name);
    setDaemon(true);
  }

  /** Starts a run. Called by this thread only. */
  public final void beginRun() {
    running = true;
  }

  /** Ends a run and runs the deferred actions. Called by this thread only. */
  public final void endRun() {
    boolean unused = endRun(null);
  }

  /**
   * Ends a run and runs the deferred actions. Another thread may take over when an action hangs.
   * Called by this thread only.
   *
   * @param successor continues when this thread hangs; null if no other thread can continue
   * @return false when another thread has continued: the caller must no longer access the state of
   *     its runs
   * @since 1.2
   */
  public final boolean endRun(Relief successor) {
    running = false;
    relief = successor;
    try {
      runDeferred();
    } finally {
      relief = null;
    }
    return !relieved();
  }

  /**
   * Runs the remaining actions of a relieved thread as the end of a run of this thread. Called by
   * this thread only.
   *
   * @param remainder the remaining actions, not null
   * @param successor continues when this thread hangs too; null if no other thread can continue
   * @return as {@link #endRun(Relief)}
   * @throws IllegalStateException when another thread already took the remainder
   * @since 1.2
   */
  public final boolean continueRun(Remainder remainder, Relief successor) {
    if (!remainder.taken.compareAndSet(false, true)) {
      throw new IllegalStateException("the rest of this run was continued before");
    }
    for (Runnable action : remainder.actions) {
      deferred[count++] = action;
    }
    return endRun(successor);
  }

  boolean relieved() {
    return exposure.get() == RELIEVED;
  }

  /**
   * Defers an action to the end of the calling thread's run. The same object is added only once.
   *
   * @param action must not block unless it exposes the thread, not null
   * @return false if the caller is not in a run or has reached the limit of deferred actions; the
   *     caller must then run the action itself
   */
  public static boolean defer(Runnable action) {
    return currentThread() instanceof IoThread thread && thread.running && thread.add(action);
  }

  /**
   * Runs the deferred actions of the calling thread. Call this method before each wait, because the
   * awaited result may depend on a deferred action.
   */
  public static void settle() {
    if (currentThread() instanceof IoThread thread) {
      thread.runDeferred();
    }
  }

  /**
   * Returns the calling thread if another one can continue its run, so that an action may do work
   * that can hang. Any other thread must not do such work.
   *
   * @return never null
   * @since 1.2
   */
  public static Optional<IoThread> relievable() {
    return currentThread() instanceof IoThread thread
            && thread.relief != null
            && thread.depth == 1
            && !thread.relieved()
        ? Optional.of(thread)
        : Optional.empty();
  }

  /**
   * Marks the start of work that may hang. During that work the thread must not use state that its
   * owner uses between runs. Called by this thread only, when it is {@link #relievable}.
   *
   * @return a ticket for {@link #relieve} and {@link #cover}
   * @since 1.2
   */
  public final long expose() {
    long ticket = exposure.get() + 1;
    exposure.set(ticket);
    return ticket;
  }

  /**
   * Marks the end of work that may hang. Called by this thread only.
   *
   * @param ticket of {@link #expose}
   * @return false when the thread was relieved
   * @since 1.2
   */
  public final boolean cover(long ticket) {
    return exposure.compareAndSet(ticket, ticket + 1);
  }

  /**
   * Makes another thread continue if this thread is still exposed. Called by a watchdog on any
   * thread.
   *
   * @param ticket of {@link #expose}
   * @return false when the work of this ticket has ended, or the thread was relieved before
   * @since 1.2
   */
  public final boolean relieve(long ticket) {
    if (!exposed(ticket)) {
      return false;
    }
    // Read before the claim, because the thread may return after it. The values are valid if the
    // claim succeeds.
    Relief successor = relief;
    Runnable[] rest = rest();
    if (!claims(ticket)) {
      return false;
    }
    successor.relieve(new Remainder(rest));
    return true;
  }

  boolean exposed(long ticket) {
    return exposure.get() == ticket;
  }

  boolean claims(long ticket) {
    return exposure.compareAndSet(ticket, RELIEVED);
  }

  Runnable[] rest() {
    int from = begun;
    return Arrays.copyOfRange(deferred, from, Math.max(from, count));
  }

  @SuppressWarnings("ReferenceEquality") // Compares by identity.
  private boolean add(Runnable action) {
    for (int i = begun; i < count; i++) {
      if (deferred[i] == action) {
        return true;
      }
    }
    if (count == MOST) {
      return false;
    }
    deferred[count++] = action;
    return true;
  }

  // The loop reads the fields each time, because an action may defer another one or settle. The
  // remaining actions run even if one throws.
  private void runDeferred() {
    depth++;
    try {
      runAll();
    } finally {
      depth--;
    }
  }

  private void runAll() {
    Throwable thrown = null;
    while (begun < count) {
      Runnable action = deferred[begun];
      deferred[begun++] = null;
      try {
        action.run();
      } catch (RuntimeException | Error e) {
        thrown = thrown == null ? e : thrown;
      }
      if (relieved()) {
        abandonRun(thrown);
        return;
      }
    }
    begun = 0;
    count = 0;
    if (thrown instanceof Error error) {
      throw error;
    } else if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
  }

  // Another thread owns the remaining actions. An exception of this thread must not end them.
  private void abandonRun(Throwable thrown) {
    Arrays.fill(deferred, null);
    begun = 0;
    count = 0;
    if (thrown != null) {
      getUncaughtExceptionHandler().uncaughtException(this, thrown);
    }
  }
}
