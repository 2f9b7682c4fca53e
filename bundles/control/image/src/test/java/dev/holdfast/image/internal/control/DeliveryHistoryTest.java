package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Histories;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories of the controller of deliveries, and a planted fault that must be found. */
class DeliveryHistoryTest {
  @TempDir Path folder;

  private DeliveryHistory history(long seed, boolean restarts) throws Exception {
    return new DeliveryHistory(seed, folder.resolve("history-" + seed), restarts);
  }

  @Test
  void imageIsDeliveredWholeWhateverHappens() throws Exception {
    Histories.play(200, seed -> history(seed, true).play());
  }

  @Test
  @Tag("soak")
  void imageIsDeliveredWholeInManyHistories() throws Exception {
    Histories.play(10_000, seed -> history(seed, true).play());
  }

  @Test
  void findsASourceThatContinuesAnotherVersion() throws Exception {
    assertThat(Histories.firstFailure(100, seed -> history(seed, false).play()))
        .hasMessageContaining("a complete copy is one version of the image");
  }
}
