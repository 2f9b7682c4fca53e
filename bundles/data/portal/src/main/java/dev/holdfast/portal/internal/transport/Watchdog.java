package dev.holdfast.portal.internal.transport;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every connection and listener once per tick, to close those that have waited too long.
 * Connections record ticks instead of times, which is cheap.
 */
public final class Watchdog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);
  private static final long TICK_MILLIS = 500;

  private final Set<Watched> watched = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService clock;
  private volatile int now = 1;

  /** Object that the watchdog checks at each tick. */
  public interface Watched {
    /** Runs the check. */
    void check(int tick);
  }

  public Watchdog() {
    this.clock =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "portal-watchdog");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Starts the ticks.
   *
   * @param eachTick runs after the checks
   */
  public void start(Runnable eachTick) {
    var unused =
        clock.scheduleAtFixedRate(
            () -> tick(eachTick), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Returns the current tick, never 0. */
  public int now() {
    return now;
  }

  public static int ticks(Duration duration) {
    return (int) Math.max(1, duration.toMillis() / TICK_MILLIS);
  }

  public static Duration duration(int ticks) {
    return Duration.ofMillis(ticks * TICK_MILLIS);
  }

  public void watch(Watched one) {
    watched.add(one);
  }

  public void forget(Watched one) {
    watched.remove(one);
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // Only the thread of the clock writes it.
  private void tick(Runnable eachTick) {
    now++;
    watched.forEach(one -> guarded(() -> one.check(now)));
    guarded(eachTick);
  }

  // An exception of one check must not end the clock.
  private static void guarded(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      LOG.error("the portal's clock: a check failed", e);
    }
  }
}
