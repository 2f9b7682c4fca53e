package dev.holdfast.image.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.image.internal.plan.ImageWorld.PlannedDisk;
import dev.holdfast.image.internal.plan.ImageWorld.PlannedFile;
import dev.holdfast.resource.image.ImageState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random inputs for which the plan must keep all rules, and mutants that each break one rule. */
class ImageCopiesTest {
  private static final Instant NOW = Instant.parse("2026-11-28T06:00:00Z");
  private static final Duration KEEP = Duration.ofHours(1);
  private static final List<ImageState> STATES = List.of(ImageState.values());

  static ImageWorld random(long seed) {
    Random random = new Random(seed);
    Map<String, PlannedDisk> disks = new HashMap<>();
    Map<String, PlannedFile> files = new HashMap<>();
    Map<String, Boolean> entries = new HashMap<>();
    Set<String> needed = new HashSet<>();
    Map<String, Instant> last = new HashMap<>();
    Set<String> cleanup = new HashSet<>();
    for (int i = random.nextInt(7); i >= 0; i--) {
      String disk = "d" + i;
      if (random.nextInt(8) > 0) {
        disks.put(
            disk,
            new PlannedDisk(
                "n" + random.nextInt(4), random.nextInt(4) > 0, random.nextInt(5) == 0));
      }
      if (random.nextInt(3) > 0) {
        entries.put(disk, random.nextInt(4) == 0);
        ImageState state =
            random.nextInt(3) > 0 ? ImageState.READY : STATES.get(random.nextInt(STATES.size()));
        files.put(disk, new PlannedFile(state, random.nextInt(6) > 0, random.nextInt(5) > 0));
      }
      if (random.nextInt(4) == 0) {
        needed.add(disk);
      }
      if (random.nextInt(2) == 0) {
        last.put(disk, NOW.minusSeconds(random.nextInt(7200) - 600));
      }
      if (random.nextInt(5) == 0) {
        cleanup.add(disk);
      }
    }
    return new ImageWorld(
        1 + random.nextInt(3), disks, files, entries, needed, last, cleanup, KEEP, NOW);
  }

  /** Throws an AssertionError if a plan breaks a rule. */
  private static void check(ImageWorld world, CopyPlan plan) {
    for (String disk : plan.dropped()) {
      assertThat(world.needed()).as("dropped while needed").doesNotContain(disk);
      assertThat(plan.entries()).doesNotContainKey(disk);
    }
    long goodBefore = good(world, world.entries().keySet(), false);
    long goodAfter = good(world, plan.entries().keySet(), false);
    if (goodBefore > 0) {
      assertThat(goodAfter).as("good copies left").isPositive();
    }
    boolean droppedGood = plan.dropped().stream().anyMatch(disk -> isGood(world, disk));
    if (droppedGood) {
      assertThat(good(world, plan.entries().keySet(), true))
          .as("good copies that stay after one was dropped")
          .isGreaterThanOrEqualTo(world.minimum());
    }
    boolean droppedUnderWay =
        plan.dropped().stream()
            .map(world.files()::get)
            .anyMatch(file -> file != null && file.isUnderWay());
    if (droppedUnderWay) {
      assertThat(good(world, plan.entries().keySet(), true))
          .as("good copies that stay after one under way was dropped")
          .isGreaterThanOrEqualTo(world.minimum());
    }
    for (String disk : world.needed()) {
      if (world.disks().containsKey(disk)) {
        assertThat(plan.entries()).as("needed disk").containsKey(disk);
        assertThat(plan.lastRefAt()).doesNotContainKey(disk);
      }
    }
    for (String disk : plan.added()) {
      assertThat(world.entries()).doesNotContainKey(disk);
      boolean wanted = world.needed().contains(disk);
      assertThat(wanted || world.disks().get(disk).eligible()).as("added disk").isTrue();
    }
  }

  private static boolean isGood(ImageWorld world, String disk) {
    PlannedFile file = world.files().get(disk);
    return world.disks().containsKey(disk)
        && file != null
        && file.state() == ImageState.READY
        && file.sameImage()
        && file.verified();
  }

  private static long good(ImageWorld world, Set<String> disks, boolean staying) {
    return disks.stream()
        .filter(disk -> isGood(world, disk))
        .filter(
            disk ->
                !staying
                    || (!world.disks().get(disk).leaving()
                        && !world.entries().getOrDefault(disk, false)))
        .count();
  }

  private static void run(Function<ImageWorld, CopyPlan> planner, long worlds) {
    for (long seed = 0; seed < worlds; seed++) {
      ImageWorld world = random(seed);
      try {
        check(world, planner.apply(world));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + world, e);
      }
    }
  }

  @Test
  void planKeepsItsRulesInRandomWorlds() {
    run(ImageCopies::plan, 1_000);
  }

  @Test
  @Tag("soak")
  void planKeepsItsRulesInManyRandomWorlds() {
    run(ImageCopies::plan, 10_000);
  }

  /** A plan for its own result makes no further change. */
  @Test
  void planIsStable() {
    for (long seed = 0; seed < 1_000; seed++) {
      ImageWorld world = withoutCleanup(random(seed));
      CopyPlan plan = ImageCopies.plan(world);
      CopyPlan next = ImageCopies.plan(after(world, plan));
      assertThat(next.added()).as("seed %s: %s", seed, world).isEmpty();
    }
  }

  /** Removes the clean-up requests, after which a disk may get a copy again. */
  private static ImageWorld withoutCleanup(ImageWorld world) {
    return new ImageWorld(
        world.minimum(),
        world.disks(),
        world.files(),
        world.entries(),
        world.needed(),
        world.lastRefAt(),
        Set.of(),
        world.keepFor(),
        world.now());
  }

  private static ImageWorld after(ImageWorld world, CopyPlan plan) {
    Map<String, PlannedFile> files = new HashMap<>(world.files());
    files.keySet().retainAll(plan.entries().keySet());
    return new ImageWorld(
        world.minimum(),
        world.disks(),
        files,
        plan.entries(),
        world.needed(),
        plan.lastRefAt(),
        plan.cleanup(),
        world.keepFor(),
        world.now());
  }

  enum Mutant {
    LAST_COPY_EVICTED,
    NEEDED_COPY_EXPIRES,
    UNVERIFIED_COPY_COUNTS,
    OTHER_UUID_COUNTS,
    UNFINISHED_COPY_COUNTS;

    CopyPlan plan(ImageWorld world) {
      return switch (this) {
        case LAST_COPY_EVICTED -> evicting(world);
        case NEEDED_COPY_EXPIRES ->
            ImageCopies.plan(
                new ImageWorld(
                    world.minimum(),
                    world.disks(),
                    world.files(),
                    world.entries(),
                    Set.of(),
                    world.lastRefAt(),
                    world.cleanup(),
                    world.keepFor(),
                    world.now()));
        case UNVERIFIED_COPY_COUNTS ->
            ImageCopies.plan(
                withFiles(world, f -> new PlannedFile(f.state(), f.sameImage(), true)));
        case OTHER_UUID_COUNTS ->
            ImageCopies.plan(withFiles(world, f -> new PlannedFile(f.state(), true, f.verified())));
        case UNFINISHED_COPY_COUNTS ->
            ImageCopies.plan(
                withFiles(
                    world,
                    f -> f.isUnderWay() ? new PlannedFile(ImageState.READY, true, true) : f));
      };
    }

    private static CopyPlan evicting(ImageWorld world) {
      CopyPlan plan = ImageCopies.plan(world);
      Map<String, Boolean> entries = new HashMap<>(plan.entries());
      Set<String> dropped = new HashSet<>(plan.dropped());
      plan.entries()
          .forEach(
              (disk, evicted) -> {
                if (evicted && !world.needed().contains(disk)) {
                  entries.remove(disk);
                  dropped.add(disk);
                }
              });
      Map<String, Instant> last = new HashMap<>(plan.lastRefAt());
      return new CopyPlan(entries, plan.added(), dropped, last, plan.cleanup());
    }

    private static ImageWorld withFiles(
        ImageWorld world, Function<PlannedFile, PlannedFile> change) {
      Map<String, PlannedFile> files = new HashMap<>(world.files());
      files.replaceAll((disk, file) -> change.apply(file));
      return new ImageWorld(
          world.minimum(),
          world.disks(),
          files,
          world.entries(),
          world.needed(),
          world.lastRefAt(),
          world.cleanup(),
          world.keepFor(),
          world.now());
    }
  }

  @ParameterizedTest
  @EnumSource(Mutant.class)
  void mutantIsCaught(Mutant mutant) {
    assertThatThrownBy(() -> run(mutant::plan, 1_000)).isInstanceOf(AssertionError.class);
  }

  @Test
  void unneededCopyGoesAfterItsTimeOnceEnoughRemain() {
    PlannedDisk disk = new PlannedDisk("n", true, false);
    PlannedFile ready = new PlannedFile(ImageState.READY, true, true);
    ImageWorld world =
        new ImageWorld(
            1,
            Map.of("a", disk, "b", disk),
            Map.of("a", ready, "b", ready),
            Map.of("a", false, "b", false),
            Set.of(),
            Map.of("a", NOW.minus(KEEP), "b", NOW.minus(KEEP)),
            Set.of(),
            KEEP,
            NOW);
    assertThat(ImageCopies.plan(world).dropped()).hasSize(1);
  }

  /** The manager of the other disk may be removing its copy for an earlier plan. */
  @Test
  void copyCountsOnceItsEntryIsStored() {
    PlannedDisk disk = new PlannedDisk("n", true, false);
    PlannedFile ready = new PlannedFile(ImageState.READY, true, true);
    CopyPlan plan =
        ImageCopies.plan(
            new ImageWorld(
                1,
                Map.of("a", disk, "b", disk),
                Map.of("a", ready, "b", ready),
                Map.of("a", true),
                Set.of(),
                Map.of(),
                Set.of(),
                KEEP,
                NOW));

    assertThat(plan.added()).containsExactly("b");
    assertThat(plan.dropped()).isEmpty();
  }

  /** The disk of the failed copy may return, and no other disk has the content. */
  @Test
  void failedCopyStaysUntilAnotherOneIsReady() {
    PlannedDisk disk = new PlannedDisk("n", true, false);
    PlannedFile failed = new PlannedFile(ImageState.FAILED, true, true);
    PlannedFile copying = new PlannedFile(ImageState.IN_PROGRESS, true, false);
    CopyPlan plan =
        ImageCopies.plan(
            new ImageWorld(
                1,
                Map.of("a", disk, "b", disk),
                Map.of("a", failed, "b", copying),
                Map.of("a", true, "b", false),
                Set.of(),
                Map.of(),
                Set.of(),
                KEEP,
                NOW));

    assertThat(plan.dropped()).isEmpty();
  }

  @Test
  void evictedCopyStaysUntilItsReplacementIsReady() {
    PlannedDisk disk = new PlannedDisk("n", true, false);
    PlannedFile ready = new PlannedFile(ImageState.READY, true, true);
    PlannedFile copying = new PlannedFile(ImageState.IN_PROGRESS, true, false);
    ImageWorld begun =
        new ImageWorld(
            1,
            Map.of("a", disk, "b", disk),
            Map.of("a", ready),
            Map.of("a", true),
            Set.of(),
            Map.of(),
            Set.of(),
            KEEP,
            NOW);
    assertThat(ImageCopies.plan(begun).added()).containsExactly("b");
    assertThat(ImageCopies.plan(begun).dropped()).isEmpty();
    ImageWorld running =
        new ImageWorld(
            1,
            begun.disks(),
            Map.of("a", ready, "b", copying),
            Map.of("a", true, "b", false),
            Set.of(),
            Map.of(),
            Set.of(),
            KEEP,
            NOW);
    assertThat(ImageCopies.plan(running).dropped()).isEmpty();
    ImageWorld done =
        new ImageWorld(
            1,
            begun.disks(),
            Map.of("a", ready, "b", ready),
            Map.of("a", true, "b", false),
            Set.of(),
            Map.of(),
            Set.of(),
            KEEP,
            NOW);
    assertThat(ImageCopies.plan(done).dropped()).containsExactly("a");
  }
}
