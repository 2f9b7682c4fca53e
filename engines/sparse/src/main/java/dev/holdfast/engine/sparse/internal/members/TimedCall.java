package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * A call that may block in a disk. It runs on another thread, and its caller waits for a limited
 * time.
 */
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
   * Prepares it.
   *
   * @param timeouts how many it may take on a disk that works; 0 when it is unknown
   * @param since when it began
   */
  TimedCall(Work<T> work, int timeouts, long since) {
    this.work = work;
    this.timeouts = timeouts;
    this.since = since;
  }

  /**
   * Does something on another thread, or on the caller's once the executor was shut down.
   *
   * @return whether it ended in time; else it continues
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
      // The engine has stopped; what is left to do is to end.
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

  /** Returns whether it takes too long, by how long one time-out is. */
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
      // The waiting caller must receive an OutOfMemoryError too.
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
