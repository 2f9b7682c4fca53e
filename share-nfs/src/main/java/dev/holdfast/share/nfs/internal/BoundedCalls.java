package dev.holdfast.share.nfs.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs one change at a time of each share, and gives up waiting for it after a limit. The change is
 * interrupted then, which ends the program that it runs; until it has ended, the next change of the
 * share waits. A change can also be preempted by the one that removes the share. Thread-safe.
 */
final class BoundedCalls {
  private final Executor executor;
  private final Map<String, Semaphore> shares = new ConcurrentHashMap<>();
  private final Map<String, Running<?>> present = new ConcurrentHashMap<>();

  /**
   * Creates it.
   *
   * @param executor runs changes; has no bound on its threads
   */
  BoundedCalls(Executor executor) {
    this.executor = executor;
  }

  /** Change of a share. */
  interface Change<T> {
    /** Carries it out. */
    T run() throws StorageException;
  }

  /** A change that runs, or is about to. */
  private static final class Running<T> implements Runnable {
    private final Change<T> change;
    private final Runnable end;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private Thread thread;
    private volatile boolean preempted;

    Running(Change<T> change, Runnable end) {
      this.change = change;
      this.end = end;
    }

    @Override
    public void run() {
      setThread(Thread.currentThread());
      try {
        result.complete(change.run());
      } catch (StorageException | RuntimeException | Error e) {
        result.completeExceptionally(e);
      } finally {
        setThread(null);
        end.run();
      }
    }

    private synchronized void setThread(Thread current) {
      thread = current;
    }

    /** Only while it runs: its thread runs other changes later. */
    synchronized void interrupt() {
      if (thread != null) {
        thread.interrupt();
      }
    }
  }

  /** Lets the present change of a share end with CONFLICT as soon as it can. */
  void preempt(String volume) {
    Running<?> running = present.get(volume);
    if (running != null) {
      running.preempted = true;
      running.interrupt();
    }
  }

  /**
   * Carries out a change.
   *
   * @throws StorageException TIMEOUT when it has not ended; CONFLICT when it was preempted; what
   *     the change throws
   */
  <T> T run(String volume, Duration limit, Change<T> change) throws StorageException {
    long deadline = System.nanoTime() + limit.toNanos();
    Semaphore share = shares.computeIfAbsent(volume, name -> new Semaphore(1));
    try {
      if (!share.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new StorageException(
            ErrorCode.TIMEOUT, "share " + volume + ": an earlier change has not ended yet");
      }
      Runnable end =
          () -> {
            present.remove(volume);
            share.release();
          };
      Running<T> running = new Running<>(change, end);
      present.put(volume, running);
      executor.execute(running);
      return await(volume, running, deadline - System.nanoTime(), limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, "share " + volume + ": interrupted", e);
    }
  }

  private static <T> T await(String volume, Running<T> running, long nanos, Duration limit)
      throws StorageException, InterruptedException {
    try {
      return running.result.get(Math.max(1, nanos), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      running.interrupt();
      throw new StorageException(
          ErrorCode.TIMEOUT, "share " + volume + ": not done after " + limit.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      running.interrupt();
      throw e;
    } catch (ExecutionException e) {
      if (running.preempted) {
        throw new StorageException(
            ErrorCode.CONFLICT, "share " + volume + ": is being removed by force", e.getCause());
      }
      if (e.getCause() instanceof StorageException cause) {
        throw cause;
      }
      throw new StorageException(
          ErrorCode.INTERNAL, "share " + volume + ": " + e.getCause(), e.getCause());
    }
  }
}
