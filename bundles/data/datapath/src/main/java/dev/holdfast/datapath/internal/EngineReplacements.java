package dev.holdfast.datapath.internal;

import dev.holdfast.upgrade.TakeOverFailure;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Records how volumes moved from one bundle of an engine to another. Thread-safe. */
final class EngineReplacements {
  private static final int MOST_KEPT = 100;

  private final InstantSource clock;
  private final Map<String, Told> told = new TreeMap<>();

  private static final class Told {
    private final List<TakeOverFailure> failures = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private long target = -1;
  }

  EngineReplacements(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * Records that a bundle has taken over a volume, with the time for which the volume was not
   * served.
   */
  synchronized void moved(String engine, long bundle, Duration pause) {
    Told of = told.computeIfAbsent(engine, name -> new Told());
    if (of.target != bundle) {
      of.pauses.clear();
      of.target = bundle;
    }
    of.pauses.add(pause);
    shorten(of.pauses);
  }

  /** Records that a bundle could not resume a volume. */
  synchronized void failed(String engine, long bundle, String volume, String reason) {
    Told of = told.computeIfAbsent(engine, name -> new Told());
    of.failures.add(new TakeOverFailure(clock.instant(), bundle, volume, reason));
    shorten(of.failures);
  }

  private static void shorten(List<?> list) {
    if (list.size() > MOST_KEPT) {
      list.remove(0);
    }
  }

  synchronized List<TakeOverFailure> failures(String engine) {
    return Optional.ofNullable(told.get(engine))
        .map(of -> List.copyOf(of.failures))
        .orElse(List.of());
  }

  synchronized List<Duration> pauses(String engine) {
    return Optional.ofNullable(told.get(engine))
        .map(of -> List.copyOf(of.pauses))
        .orElse(List.of());
  }
}
