package dev.holdfast.block.testkit;

import dev.holdfast.block.Completion;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A completion for which a test can wait, and that detects a second call. */
public final class Outcome implements Completion {
  private static final long LIMIT_SECONDS = 60;

  private int calls;
  private StorageException failure;

  @Override
  public synchronized void completed(StorageException cause) {
    calls++;
    failure = cause;
    notifyAll();
  }

  /** Returns the number of calls so far. */
  public synchronized int calls() {
    return calls;
  }

  /**
   * Waits for the end of the request and throws its failure, if any.
   *
   * @throws StorageException the failure
   */
  public void get() throws StorageException {
    StorageException cause = await();
    if (cause != null) {
      throw cause;
    }
  }

  /**
   * Waits for the end of a request that must fail.
   *
   * @return code of the failure, never null
   */
  public ErrorCode failure() {
    StorageException cause = await();
    if (cause == null) {
      throw new AssertionError("the request succeeded");
    }
    return cause.code();
  }

  /**
   * Waits for the end of a request that may succeed or fail.
   *
   * @return code of the failure, empty on success; never null
   */
  public Optional<ErrorCode> ending() {
    return Optional.ofNullable(await()).map(StorageException::code);
  }

  private synchronized StorageException await() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    try {
      while (calls == 0) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          throw new AssertionError(
              "no completion", new TimeoutException(LIMIT_SECONDS + " seconds"));
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for a completion", e);
    }
    return failure;
  }
}
