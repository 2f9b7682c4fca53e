package dev.holdfast.portal.internal.session;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls into frontends that may throw, hang, or leave thread-local state. Each call runs on a
 * thread that ends soon afterwards; a thread whose call does not return is abandoned.
 */
public final class FrontendCalls implements AutoCloseable {
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          1,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> {
            Thread thread = new Thread(task, "portal-sessions");
            thread.setDaemon(true);
            return thread;
          });

  /** Runs the portal's own work concurrently. */
  public <T> Future<T> submit(Callable<T> work) {
    return threads.submit(work);
  }

  /**
   * Makes a call and waits for its result.
   *
   * @throws StorageException with the text of the call's exception; TIMEOUT when the call did not
   *     return
   */
  public <T> T within(Duration limit, String what, Callable<T> call) throws StorageException {
    Future<T> result = threads.submit(call);
    try {
      return result.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      result.cancel(true);
      throw new StorageException(
          ErrorCode.TIMEOUT, what + " did not return within " + limit.toMillis() + " ms");
    } catch (InterruptedException e) {
      result.cancel(true);
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, what + " was interrupted");
    } catch (ExecutionException e) {
      throw failed(what, e.getCause());
    }
  }

  // Only the text: an exception of a frontend's own class would keep its bundle in memory.
  private static StorageException failed(String what, Throwable cause) {
    ErrorCode code = cause instanceof StorageException known ? known.code() : ErrorCode.INTERNAL;
    return new StorageException(code, what + " failed: " + cause);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
