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
 * Calls into frontends that may throw, hang, or leave something behind on their thread: each on a
 * thread that ends soon after the call, and that is abandoned when the call does not return.
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

  /** Runs work of the portal's own beside others. */
  public <T> Future<T> submit(Callable<T> work) {
    return threads.submit(work);
  }

  /**
   * Makes a call and waits for its result.
   *
   * @throws StorageException what the call threw, as text; TIMEOUT when it did not return
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

  // As text: an exception of a frontend's own class would keep its bundle loaded.
  private static StorageException failed(String what, Throwable cause) {
    ErrorCode code = cause instanceof StorageException known ? known.code() : ErrorCode.INTERNAL;
    return new StorageException(code, what + " failed: " + cause);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
