package dev.holdfast.datapath.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls plugins that may throw any exception or never return. Thread-safe. */
final class GuardedPluginCalls {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedPluginCalls.class);

  private final Executor threads;

  GuardedPluginCalls(Executor threads) {
    this.threads = threads;
  }

  /** A call did not return in time; its thread was interrupted. */
  static final class Hung extends StorageException {
    private static final long serialVersionUID = 1L;

    Hung(String what, Duration limit) {
      super(ErrorCode.TIMEOUT, what + " did not return within " + limit.toMillis() + " ms");
    }
  }

  /**
   * Calls a plugin on another thread.
   *
   * @param what description of the call for messages
   * @param late undoes the result of a call that returns after the limit
   * @throws Hung when it does not return in time
   * @throws StorageException exception of the plugin; INTERNAL for an unchecked exception
   */
  <T> T within(Duration limit, String what, Callable<T> call, Consumer<T> late)
      throws StorageException {
    Call<T> running = new Call<>(what, call, late);
    threads.execute(running);
    try {
      return running.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      running.abandon();
      throw new Hung(what, limit);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StorageException known
          ? known
          : new StorageException(ErrorCode.INTERNAL, what + ": " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      running.abandon();
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.INTERNAL, what + ": interrupted", e);
    }
  }

  private static final class Call<T> extends FutureTask<T> {
    Call(String what, Callable<T> call, Consumer<T> late) {
      this(what, new Outcome<>(), call, late);
    }

    private Call(String what, Outcome<T> outcome, Callable<T> call, Consumer<T> late) {
      super(
          () -> {
            T value = call.call();
            if (!outcome.taken(value)) {
              LOG.warn("{} returned after its time limit", what);
              late.accept(value);
            }
            return value;
          });
      this.outcome = outcome;
      this.late = late;
    }

    private final Outcome<T> outcome;
    private final Consumer<T> late;

    // A result between the time-out and this call is undone here; the call itself undoes a later
    // one.
    void abandon() {
      T value = outcome.abandon();
      if (value == null) {
        cancel(true);
      } else {
        late.accept(value);
      }
    }
  }

  /** Decides whether a value arrived before the time limit of the call. */
  private static final class Outcome<T> {
    private boolean over;
    private T value;

    synchronized boolean taken(T found) {
      if (over) {
        return false;
      }
      value = found;
      return true;
    }

    synchronized T abandon() {
      over = true;
      return value;
    }
  }
}
