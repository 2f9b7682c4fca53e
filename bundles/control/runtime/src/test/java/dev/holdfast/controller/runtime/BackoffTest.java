package dev.holdfast.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class BackoffTest {
  private static final Duration FIRST = Duration.ofMillis(200);
  private static final Duration CAP = Duration.ofSeconds(30);

  @Property
  void delaysDoubleUpToTheCapAndAreStretchedByAtMostAQuarter(
      @ForAll @IntRange(min = 1) int failures, @ForAll long seed) {
    Duration delay = new Backoff(FIRST, CAP).after(failures, new Random(seed));
    Duration least = CAP;
    if (failures < 9) {
      Duration doubled = FIRST.multipliedBy(1L << (failures - 1));
      least = doubled.compareTo(CAP) < 0 ? doubled : CAP;
    }
    assertThat(delay).isBetween(least, least.multipliedBy(5).dividedBy(4));
  }
}
