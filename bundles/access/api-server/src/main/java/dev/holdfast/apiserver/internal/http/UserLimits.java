package dev.holdfast.apiserver.internal.http;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Limits the concurrent requests of one user, so that it cannot exhaust the resources of others.
 * Nodes of the cluster have no such bound. Thread-safe.
 */
final class UserLimits {
  static final int RUNNING = 200;
  static final int PER_SECOND = 1000;
  static final int WATCHES = 128;

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier nanos;
  private final Map<String, User> users = new ConcurrentHashMap<>();

  /** Counts from zero; {@code nanos} is a clock as {@link System#nanoTime}. */
  UserLimits(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** A place that a user occupies for a time; repeated releases have no effect. */
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

  /** Begins a request; returns what ends it, empty when the user has too many. */
  Optional<Runnable> request(ApiHandler.Sender sender) {
    if (!sender.limited()) {
      return Optional.of(() -> {});
    }
    User user = user(sender.name());
    return user.begin() ? Optional.of(new Place(user::end)) : Optional.empty();
  }

  /** Begins a watch; returns what ends it, empty when the user has too many. */
  Optional<Runnable> watch(ApiHandler.Sender sender) {
    if (!sender.limited()) {
      return Optional.of(() -> {});
    }
    User user = user(sender.name());
    return user.beginWatch() ? Optional.of(new Place(user::endWatch)) : Optional.empty();
  }
}
