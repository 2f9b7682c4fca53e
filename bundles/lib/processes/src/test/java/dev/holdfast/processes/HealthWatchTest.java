package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthWatchTest {
  private final ManualTime time = new ManualTime();
  private final List<Runnable> asked = new ArrayList<>();
  private final HealthWatch watch =
      new HealthWatch(
          new HealthProbe(() -> {}, Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5), 2),
          time.clock(),
          asked::add);

  @Test
  void checkThatDoesNotReturnFailsOncePerTimeoutAndIsNotRepeatedBesideIt() {
    watch.begin(time.clock().instant());
    assertThat(watch.poll().isFatal()).isFalse();
    time.pass(Duration.ofSeconds(5));
    HealthWatch.Verdict late = watch.poll();
    assertThat(late.isFatal()).isFalse();
    assertThat(late.detail()).isEqualTo("a check has not returned after 5000 ms");
    time.pass(Duration.ofSeconds(5));

    assertThat(watch.poll().isFatal()).isTrue();
    assertThat(asked).hasSize(1);
  }

  @Test
  void resultForAnEarlierProcessIsIgnored() {
    watch.begin(time.clock().instant());
    watch.poll();
    watch.begin(time.clock().instant());
    asked.get(0).run();
    assertThat(watch.poll().isReady()).isFalse();
    asked.get(1).run();
    assertThat(watch.poll().isReady()).isTrue();
  }
}
