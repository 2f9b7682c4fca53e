package dev.holdfast.block;

/**
 * A thread that handles requests or answers in runs: everything that one read from a socket
 * brought. What a run sends on can be put off to its end, so that it leaves together, without that
 * devices between the two ends of a run know of it.
 *
 * <pre>
 *   beginRun --defer, defer--> endRun: runs what was deferred
 *                 '--settle (before waiting for anything)--'
 * </pre>
 */
public class IoThread extends Thread {
  private static final int MOST = 64;

  private final Runnable[] deferred = new Runnable[MOST];
  private int count;
  private boolean running;

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
    running = false;
    runDeferred();
  }

  /**
   * Puts an action off to the end of the calling thread's run. An action that is there already (the
   * same object) is not added again.
   *
   * @param action must not block, not null
   * @return false when the caller is in no run, or has put off too much already: it must act itself
   */
  public static boolean defer(Runnable action) {
    return currentThread() instanceof IoThread thread && thread.running && thread.add(action);
  }

  /**
   * Does what the calling thread has deferred. To be called before waiting for anything: what was
   * put off may be what the thread is about to wait for.
   */
  public static void settle() {
    if (currentThread() instanceof IoThread thread) {
      thread.runDeferred();
    }
  }

  @SuppressWarnings("ReferenceEquality") // The same action, not an equal one.
  private boolean add(Runnable action) {
    for (int i = 0; i < count; i++) {
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

  // An action may defer another, so the loop reads the count each time. The others run although
  // one throws.
  private void runDeferred() {
    Throwable thrown = null;
    for (int i = 0; i < count; i++) {
      Runnable action = deferred[i];
      deferred[i] = null;
      try {
        action.run();
      } catch (RuntimeException | Error e) {
        thrown = thrown == null ? e : thrown;
      }
    }
    count = 0;
    if (thrown instanceof Error error) {
      throw error;
    } else if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
