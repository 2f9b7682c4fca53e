package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** A call that may block in a disk. Runs on another thread; its caller waits for a limited time. */
public final class TimedCall<T> implements Runnable {
  /** Work that may block. */
  @FunctionalInterface
  public interface Work<T> {
    T run() throws StorageException;
  }

  private final Work<T> work;
  private final int timeouts;
  private final long since;
  // Guarded by this.
  private boolean over;
  private T result;
  private StorageException failure;

  /**
   * Prepares a call.
   *
   * @param timeouts how many time-outs it may take on a working disk; 0 when unknown
   * @param since its start, in nanoseconds of the clock
   */
  TimedCall(Work<T> work, int timeouts, long since) {
    this.work = work;
    this.timeouts = timeouts;
    this.since = since;
  }

  /**
   * Runs work on another thread, or on the caller's thread if the executor was shut down.
   *
   * @return whether the work ended in time; if not, it continues
   */
  public static boolean endsWithin(
      Duration most, Runnable work, Executor executor, MemberClock clock) {
    TimedCall<Boolean> call =
        new TimedCall<>(
            () -> {
              work.run();
              return true;
            },
            0,
            clock.nanoTime());
    try {
      executor.execute(call);
    } catch (RejectedExecutionException e) {
      // The engine has stopped; only the work of closing remains.
      call.run();
    }
    clock.later(most, () -> call.end(false, null));
    try {
      return call.await();
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean isBefore(long moment) {
    return since - moment < 0;
  }

  /** Returns whether the call takes too long. */
  boolean isLate(long now, long timeout) {
    return timeouts > 0 && now - since > timeouts * timeout;
  }

  @Override
  public void run() {
    T answer = null;
    StorageException cause = null;
    try {
      answer = work.run();
    } catch (StorageException e) {
      cause = e;
    } catch (RuntimeException | Error e) {
      // The caller waits for a result, so an OutOfMemoryError must become one too.
      cause = new StorageException(ErrorCode.INTERNAL, "a defect: " + e, e);
    }
    end(answer, cause);
  }

  void abandon(StorageException cause) {
    end(null, cause);
  }

  private synchronized void end(T answer, StorageException cause) {
    if (!over) {
      over = true;
      result = answer;
      failure = cause;
      notifyAll();
    }
  }

  synchronized T await() throws StorageException {
    Uninterruptibly.awaitWhile(this, () -> !over);
    if (failure != null) {
      throw failure;
    }
    return result;
  }
}
