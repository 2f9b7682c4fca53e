package dev.holdfast.apiserver.internal.http;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Limits the concurrent requests of each user, so that one user cannot exhaust the server. Nodes of
 * the cluster are not limited. Thread-safe.
 */
final class UserLimits {
  static final int RUNNING = 200;
  static final int PER_SECOND = 1000;
  static final int WATCHES = 128;

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier nanos;
  private final Map<String, User> users = new ConcurrentHashMap<>();

  /** Creates the counters; {@code nanos} is a clock as {@link System#nanoTime}. */
  UserLimits(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** A slot that a user occupies; repeated releases have no effect. */
  private static final class Place implements Runnable {
    private final AtomicBoolean taken = new AtomicBoolean(true);
    private final Runnable release;

    Place(Runnable release) {
      this.release = release;
    }

    @Override
    public void run() {
      if (taken.compareAndSet(true, false)) {
        release.run();
      }
    }
  }

  /** Requests and watches of one user. */
  private final class User {
    private int running;
    private int watches;
    private double allowed = PER_SECOND;
    private long since = nanos.getAsLong();

    synchronized boolean begin() {
      long now = nanos.getAsLong();
      allowed = Math.min(PER_SECOND, allowed + (now - since) / NANOS * PER_SECOND);
      since = now;
      if (running >= RUNNING || allowed < 1) {
        return false;
      }
      allowed--;
      running++;
      return true;
    }

    synchronized void end() {
      running--;
    }

    synchronized boolean beginWatch() {
      if (watches >= WATCHES) {
        return false;
      }
      watches++;
      return true;
    }

    synchronized void endWatch() {
      watches--;
    }
  }

  private User user(String name) {
    return users.computeIfAbsent(name, n -> new User());
  }

  /** Starts a request. Returns the action for its end; empty if the user has reached the limit. */
  Optional<Runnable> request(ApiHandler.Sender sender) {
    if (!sender.limited()) {
      return Optional.of(() -> {});
    }
    User user = user(sender.name());
    return user.begin() ? Optional.of(new Place(user::end)) : Optional.empty();
  }

  /** Starts a watch. Returns the action for its end; empty if the user has reached the limit. */
  Optional<Runnable> watch(ApiHandler.Sender sender) {
    if (!sender.limited()) {
      return Optional.of(() -> {});
    }
    User user = user(sender.name());
    return user.beginWatch() ? Optional.of(new Place(user::endWatch)) : Optional.empty();
  }
}
