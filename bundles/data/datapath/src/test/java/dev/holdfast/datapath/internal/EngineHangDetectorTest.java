package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.filter.IoKind;
import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.datapath.InstalledEngine;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.upgrade.BundleTrouble;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Version;

class EngineHangDetectorTest {
  private static final Duration LATE = Duration.ofSeconds(60);
  private static final StackTraceElement LOOP =
      new StackTraceElement("dev.example.Loop", "spin", "Loop.java", 3);

  private final InstalledPlugins plugins = new InstalledPlugins();
  private final EngineProvider engine = new FakeEngine("example", new FakeEngine.Disks());
  private final List<EngineHealth> pulses = new ArrayList<>();

  @BeforeEach
  void install() {
    plugins.add(new InstalledEngine(engine, 7, "dev.example", Version.parseVersion("1.2"), 0));
  }

  private static Optional<IoStatistics> requests(long ended, int inFlight) {
    return Optional.of(
        new IoStatistics(Map.of(IoKind.WRITE, new IoStatistics.Count(ended, ended, 0)), inFlight));
  }

  private EngineHealth waiting(String volume, long ended, int inFlight) {
    return new EngineHealth(
        volume,
        "example",
        Optional.of(engine),
        requests(ended, inFlight),
        Duration.ZERO,
        Optional.empty());
  }

  private static EngineHealth opening(Duration lasts, Optional<StackTraceElement> place) {
    return new EngineHealth("late", "example", Optional.empty(), Optional.empty(), lasts, place);
  }

  private List<BundleTrouble> after(Duration late, EngineHealth... now) {
    pulses.clear();
    pulses.addAll(List.of(now));
    EngineHangDetector watch = new EngineHangDetector(plugins, () -> pulses, late);
    assertThat(watch.troubles()).isNotNull();
    return watch.troubles();
  }

  @Test
  void callThatDoesNotReturnIsReportedWithItsStack() {
    BundleTrouble told = after(LATE, opening(LATE, Optional.of(LOOP))).get(0);
    assertThat(told.kind()).isEqualTo(BundleTrouble.Kind.HANGS);
    assertThat(told.bundle()).isEqualTo(7);
    assertThat(told.name()).isEqualTo("dev.example 1.2.0");
    assertThat(told.volume()).isEqualTo("late");
    assertThat(told.message()).contains("Loop.java:3");
  }

  @Test
  void callInTimeOrOutsideOfEnginesIsNotReported() {
    assertThat(after(LATE, opening(Duration.ofSeconds(59), Optional.of(LOOP)))).isEmpty();
    assertThat(after(LATE, opening(LATE, Optional.empty()))).isEmpty();
  }

  @Test
  void hangingRequestsAreReported() {
    List<BundleTrouble> told = after(Duration.ZERO, waiting("silent", 5, 2), waiting("idle", 5, 0));
    assertThat(told).extracting(BundleTrouble::volume).containsExactly("silent");
    assertThat(told.get(0).bundle()).isEqualTo(7);
    assertThat(after(LATE, waiting("silent", 5, 2))).isEmpty();
  }

  @Test
  void requestsOfWhichSomeEndAreNot() {
    EngineHangDetector watch = new EngineHangDetector(plugins, () -> pulses, Duration.ofMillis(1));
    for (int ended = 0; ended < 5; ended++) {
      pulses.clear();
      pulses.add(waiting("busy", ended, 2));
      assertThat(watch.troubles()).isEmpty();
    }
    while (watch.troubles().isEmpty()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void theStepThatRunsIsSeenFromOutside() throws Exception {
    CurrentStep step = new CurrentStep();
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () ->
                step.during(
                    () -> {
                      began.countDown();
                      try {
                        end.await();
                      } catch (InterruptedException e) {
                        throw new AssertionError(e);
                      }
                    }));
    thread.start();
    began.await();
    assertThat(step.lasts()).isPositive();
    assertThat(step.place()).as("it is in this bundle's own code").isEmpty();
    end.countDown();
    thread.join();
    assertThat(step.lasts()).isZero();
  }
}
