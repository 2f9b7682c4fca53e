package dev.holdfast.apiserver.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class UserLimitsTest {
  private static final ApiHandler.Sender USER = new ApiHandler.Sender("a", true, true, 1);
  private static final ApiHandler.Sender NODE = new ApiHandler.Sender("n", true, false, 1);

  private final AtomicLong now = new AtomicLong();
  private final UserLimits limits = new UserLimits(now::get);

  @Test
  void concurrentRequestsOfAUserAreLimited() {
    List<Runnable> ends = new ArrayList<>();
    for (int i = 0; i < UserLimits.RUNNING; i++) {
      ends.add(limits.request(USER).orElseThrow());
    }
    assertThat(limits.request(USER)).isEmpty();
    assertThat(limits.request(new ApiHandler.Sender("b", true, true, 1))).isPresent();
    assertThat(limits.request(NODE)).isPresent();

    ends.get(0).run();
    ends.get(0).run();

    assertThat(limits.request(USER)).isPresent();
    assertThat(limits.request(USER)).as("an end counts once").isEmpty();
  }

  @Test
  void requestsPerSecondOfAUserAreLimited() {
    for (int i = 0; i < UserLimits.PER_SECOND; i++) {
      limits.request(USER).orElseThrow().run();
    }
    assertThat(limits.request(USER)).isEmpty();

    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));

    assertThat(limits.request(USER)).isPresent();
    assertThat(limits.request(USER)).isEmpty();
  }

  @Test
  void watchesOfAUserAreLimited() {
    Runnable first = limits.watch(USER).orElseThrow();
    for (int i = 1; i < UserLimits.WATCHES; i++) {
      assertThat(limits.watch(USER)).isPresent();
    }
    assertThat(limits.watch(USER)).isEmpty();
    first.run();
    assertThat(limits.watch(USER)).isPresent();
  }
}
