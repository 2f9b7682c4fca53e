package dev.holdfast.block;

import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A thread that handles requests or answers in runs: everything that one read from a socket
 * brought. What a run sends on can be put off to its end, so that it leaves together, without that
 * devices between the two ends of a run know of it.
 *
 * <pre>
 *   beginRun --defer, defer--> endRun: runs what was deferred
 *                 '--settle (before waiting for anything)--'
 * </pre>
 *
 * <p>A deferred action may do work that hangs, such as a write to a disk, if the thread's owner
 * ends the run with a {@link Relief}. The action exposes the thread while it works. A watchdog may
 * relieve an exposed thread: another thread then begins the actions that this one has not begun,
 * and takes over whatever the owner does between runs. Each action is begun by one thread only.
 *
 * <pre>
 *   COVERED --expose--> EXPOSED --cover--> COVERED
 *                          '---relieve---> RELIEVED: endRun returns false, the owner stops
 * </pre>
 */
public class IoThread extends Thread {
  private static final int MOST = 64;

  // Covered while even, exposed while odd: then the number is the ticket.
  private static final long RELIEVED = -2;

  /**
   * The deferred actions that a relieved thread had not begun.
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
   * Continues the work of a thread that hangs.
   *
   * @since 1.2
   */
  @FunctionalInterface
  public interface Relief {
    /**
     * Starts another {@code IoThread}, which calls {@link IoThread#continueRun} and then does what
     * the owner does after a run. Called once, on the thread of a watchdog; must not block.
     *
     * @param remainder what the hanging thread had not begun, not null
     */
    void relieve(Remainder remainder);
  }

  private final AtomicLong exposure = new AtomicLong();
  private final Runnable[] deferred = new Runnable[MOST];
  private int begun;
  private int count;
  // More than one when an action settles.
  private int depth;
  private boolean running;
  private Relief relief;

  /**
   * Creates a daemon thread.
   *
   * @param task what it does, not null
   * @param name of the thread, not null
   */
  public IoThread(Runnable task, String name) {
    super(task, name);
    setDaemon(true);
  }

  /** Begins a run; to be called by this thread only. */
  public final void beginRun() {
    running = true;
  }

  /** Ends a run: what was deferred is done now. To be called by this thread only. */
  public final void endRun() {
    boolean unused = endRun(null);
  }

  /**
   * Ends a run: what was deferred is done now, and another thread may take over when an action
   * hangs. To be called by this thread only.
   *
   * @param successor continues when this thread hangs; null when no other thread can
   * @return false when another thread has continued: the caller must touch nothing more of the work
   *     that it did in runs
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
   * Does what a relieved thread had not begun, as the end of a run of this thread. To be called by
   * this thread only.
   *
   * @param remainder what is left, not null
   * @param successor continues when this thread hangs too; null when no other thread can
   * @return as {@link #endRun(Relief)}
   * @throws IllegalStateException when another thread has taken it
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
   * Puts an action off to the end of the calling thread's run. An action that is there already (the
   * same object) is not added again.
   *
   * @param action must not block unless it exposes the thread, not null
   * @return false when the caller is in no run, or has put off too much already: it must act itself
   */
  public static boolean defer(Runnable action) {
    return currentThread() instanceof IoThread thread && thread.running && thread.add(action);
  }

  /**
   * Does what the calling thread has deferred. Call it before waiting for anything, because the
   * thread may wait for a deferred task.
   */
  public static void settle() {
    if (currentThread() instanceof IoThread thread) {
      thread.runDeferred();
    }
  }

  /**
   * Returns the calling thread if another one can continue its run, so that an action may do work
   * that hangs. Any other thread must not do such work.
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
   * Begins work that may hang. While it lasts, the thread uses nothing that its owner uses between
   * runs. To be called by this thread only, when it is {@link #relievable}.
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
   * Ends work that may hang. To be called by this thread only.
   *
   * @param ticket of {@link #expose}
   * @return false when the thread was relieved
   * @since 1.2
   */
  public final boolean cover(long ticket) {
    return exposure.compareAndSet(ticket, ticket + 1);
  }

  /**
   * Lets another thread continue if this one is still exposed. Called by a watchdog, on any thread.
   *
   * @param ticket of {@link #expose}
   * @return false when the work of this ticket has ended, or the thread was relieved before
   * @since 1.2
   */
  public final boolean relieve(long ticket) {
    if (!exposed(ticket)) {
      return false;
    }
    // Read before the claim, after which the thread may return. They are right if that succeeds.
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

  @SuppressWarnings("ReferenceEquality") // The same action, not an equal one.
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

  // An action may defer another, or settle, so the loop reads the fields each time. The others run
  // although one throws.
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

  // The rest is another thread's, whose work must not end for what this one throws.
  private void abandonRun(Throwable thrown) {
    Arrays.fill(deferred, null);
    begun = 0;
    count = 0;
    if (thrown != null) {
      getUncaughtExceptionHandler().uncaughtException(this, thrown);
    }
  }
}
