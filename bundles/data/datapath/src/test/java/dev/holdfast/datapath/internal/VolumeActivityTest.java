package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumeActivityTest {
  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

  @TempDir private Path data;

  @Test
  void recentRequestsCountMoreThanOldOnes() {
    VolumeActivity use = VolumeActivity.notKept();
    use.observe("old", 1000, START);
    use.observe("old", 1000, START.plusSeconds(600));
    use.observe("new", 100, START.plusSeconds(600));
    assertThat(use.of("new")).isEqualTo(100.0);
    assertThat(use.of("old")).isBetween(0.9, 1.0);
    assertThat(use.of("never")).isZero();
  }

  @Test
  void itIsThereAgainWithoutAnOrderlyEnd() {
    VolumeActivity killed = VolumeActivity.below(data);
    killed.observe("a", 10, START);
    killed.observe("a", 30, START.plusSeconds(5));
    VolumeActivity next = VolumeActivity.below(data);
    assertThat(next.of("a")).isGreaterThan(25.0);
    next.observe("a", 1, START.plusSeconds(60));
    assertThat(next.of("a")).as("a new process counts from zero").isGreaterThan(26.0);
    next.forget("a");
    next.keep();
    assertThat(VolumeActivity.below(data).of("a")).isZero();
  }

  @Test
  void anUnreadableFileIsIgnored() throws Exception {
    Files.writeString(data.resolve("volume-use"), "a 3.5\nnonsense\n");
    VolumeActivity use = VolumeActivity.below(data);
    assertThat(use.of("b")).isZero();
    use.keep();
    assertThat(VolumeActivity.below(data).of("a")).isEqualTo(3.5);
  }
}
