package dev.holdfast.portal.internal.session;

import dev.holdfast.portal.internal.transport.BufferPool;
import dev.holdfast.portal.internal.transport.Outbox;
import dev.holdfast.portal.internal.transport.Watchdog;
import dev.holdfast.upgrade.BundleTrouble;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Finds frontends, and devices that they call, whose code loops or throws. Thread-safe. */
public final class FrontendHangDetector {
  private static final int THROWN = 3;
  private static final Duration LASTING = Duration.ofMinutes(1);

  /** Methods in which a session waits by design: for its client, or for memory. */
  private static final Set<String> WAITING =
      Set.of(Outbox.class.getName(), BufferPool.class.getName());

  private final InstantSource clock;
  private final Function<String, Optional<FrontendRank>> bundleOf;
  private final int lateTicks;
  private final Map<FrontendRank, ArrayDeque<Thrown>> thrown = new HashMap<>();

  private record Thrown(Instant when, String subject, String what) {}

  /**
   * Creates a detector.
   *
   * @param bundleOf returns the bundle of a class, for code that a frontend calls
   * @param lateTicks number of ticks after which a call counts as hanging
   */
  public FrontendHangDetector(
      InstantSource clock, Function<String, Optional<FrontendRank>> bundleOf, int lateTicks) {
    this.clock = clock;
    this.bundleOf = bundleOf;
    this.lateTicks = lateTicks;
  }

  /** Records an unexpected exception of a session. */
  public void threw(FrontendRank by, String subject, Throwable failure) {
    Optional<StackTraceElement> place = place(failure.getStackTrace());
    FrontendRank origin = place.flatMap(this::bundleOf).orElse(by);
    String what = failure + place.map(at -> " at " + at).orElse("");
    synchronized (this) {
      ArrayDeque<Thrown> last = thrown.computeIfAbsent(origin, unused -> new ArrayDeque<>());
      last.addLast(new Thrown(clock.instant(), subject, what));
      if (last.size() > THROWN) {
        last.removeFirst();
      }
    }
  }

  private Optional<FrontendRank> bundleOf(StackTraceElement place) {
    return bundleOf.apply(place.getClassName());
  }

  /** Returns the present troubles of the connections' sessions. */
  public List<BundleTrouble> now(Collection<ClientConnection> connections, int tick) {
    List<BundleTrouble> all = new ArrayList<>();
    for (ClientConnection connection : connections) {
      hanging(connection, tick).ifPresent(all::add);
    }
    Instant past = clock.instant().minus(LASTING);
    synchronized (this) {
      thrown.values().removeIf(last -> last.getLast().when().isBefore(past));
      thrown.forEach((origin, last) -> failing(origin, last).ifPresent(all::add));
    }
    return all;
  }

  private Optional<BundleTrouble> hanging(ClientConnection connection, int tick) {
    SessionSlot slot = connection.slot();
    Optional<StackTraceElement> place =
        slot.stackOfCall(tick, lateTicks).flatMap(FrontendHangDetector::place);
    Optional<FrontendRank> owner = slot.owner().map(FrontendService::origin);
    if (place.isEmpty() || owner.isEmpty()) {
      return Optional.empty();
    }
    Duration lasts = Watchdog.duration(slot.calledFor(tick));
    return Optional.of(
        trouble(
            BundleTrouble.Kind.HANGS,
            clock.instant().minus(lasts),
            bundleOf(place.get()).orElse(owner.get()),
            connection.subject(),
            "a call for a client of "
                + connection.subject()
                + " does not return; it is at "
                + place.get()));
  }

  private static Optional<BundleTrouble> failing(FrontendRank origin, ArrayDeque<Thrown> last) {
    if (last.size() < THROWN) {
      return Optional.empty();
    }
    Thrown newest = last.getLast();
    return Optional.of(
        trouble(
            BundleTrouble.Kind.FAILS,
            last.getFirst().when(),
            origin,
            newest.subject(),
            "sessions fail again and again, and their clients lose their connections: "
                + newest.what()));
  }

  private static BundleTrouble trouble(
      BundleTrouble.Kind kind, Instant since, FrontendRank by, String subject, String message) {
    String name = by.symbolicName() + " " + by.version();
    return new BundleTrouble(kind, since, by.bundle(), name, subject, message);
  }

  /** Returns the innermost stack frame outside of Java; empty where a session waits by design. */
  private static Optional<StackTraceElement> place(StackTraceElement[] stack) {
    return Arrays.stream(stack)
        .filter(frame -> !frame.getClassName().matches("(java|javax|jdk|sun)\\..*"))
        .findFirst()
        .filter(frame -> !WAITING.contains(frame.getClassName()));
  }
}
