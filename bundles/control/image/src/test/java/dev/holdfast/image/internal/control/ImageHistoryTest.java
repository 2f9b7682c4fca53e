package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.image.internal.plan.CopyPlan;
import dev.holdfast.image.internal.plan.ImageCopies;
import dev.holdfast.image.internal.plan.ImageWorld;
import dev.holdfast.image.internal.plan.ImageWorld.PlannedFile;
import dev.holdfast.resource.image.ImageState;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Histories of the controllers of images and of their files, and planted faults that must be found.
 */
class ImageHistoryTest {
  @TempDir Path folder;

  private ImageHistory history(long seed, Function<ImageWorld, CopyPlan> planner) throws Exception {
    return new ImageHistory(seed, folder.resolve("history-" + seed), planner);
  }

  @Test
  void copiesAreKeptWhateverHappens() throws Exception {
    Histories.play(200, seed -> history(seed, ImageCopies::plan).play());
  }

  @Test
  @Tag("soak")
  void copiesAreKeptInManyHistories() throws Exception {
    Histories.play(10_000, seed -> history(seed, ImageCopies::plan).play());
  }

  /** Removes each copy at once when its eviction is requested. */
  private static CopyPlan evictsAtOnce(ImageWorld world) {
    CopyPlan plan = ImageCopies.plan(world);
    Map<String, Boolean> entries = new HashMap<>(plan.entries());
    entries.values().removeIf(evicted -> evicted);
    return new CopyPlan(
        entries, plan.added(), plan.dropped(), new HashMap<>(plan.lastRefAt()), plan.cleanup());
  }

  @Test
  void findsAPlannerThatEvictsTheLastCopy() throws Exception {
    assertThat(
            Histories.firstFailure(
                100, seed -> history(seed, ImageHistoryTest::evictsAtOnce).play()))
        .hasMessageContaining("the last copy of the image is lost");
  }

  /** Counts each file as a verified copy, even if it does not exist yet. */
  private static CopyPlan countsUnverified(ImageWorld world) {
    Map<String, PlannedFile> files = new HashMap<>(world.files());
    files.replaceAll((disk, file) -> new PlannedFile(ImageState.READY, true, true));
    return ImageCopies.plan(
        new ImageWorld(
            world.minimum(),
            world.disks(),
            files,
            world.entries(),
            Set.copyOf(world.needed()),
            world.lastRefAt(),
            world.cleanup(),
            world.keepFor(),
            world.now()));
  }

  @Test
  void findsAPlannerThatCountsUnverifiedCopies() throws Exception {
    assertThat(
            Histories.firstFailure(
                200, seed -> history(seed, ImageHistoryTest::countsUnverified).play()))
        .hasMessageContaining("the last copy of the image is lost");
  }

  @Test
  void findsADeletionThatTrustsTheStore() throws Exception {
    assertThat(
            Histories.firstFailure(
                100,
                seed -> {
                  ImageHistory history = history(seed, ImageCopies::plan);
                  history.engine.asksReplicas = false;
                  history.play();
                }))
        .hasMessageContaining("is lost");
  }
}
