package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backup.internal.delta.DeltaBase;
import dev.holdfast.backup.internal.standby.StandbyReconciler;
import dev.holdfast.backup.internal.standby.StandbyStep;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.restore.StandbyActivation;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.volume.Volume;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The process is killed and the standby volume activated at each step of applying a backup. At the
 * end the volume must have the bytes of one backup.
 */
class StandbyKillTest {
  private static final int ROUNDS = 200;
  private static final int STEPS_IN_CI = 20;

  /** State at the target of the backup that the volume has. */
  private enum Base {
    KEPT,
    REMOVED,
    REPLACED
  }

  /** An event at a step. */
  private record Event(boolean kill, boolean targetLost, StandbyActivation activation, Base base) {}

  private static final byte[] FIRST = first();
  private static final byte[] SECOND = second();

  private static byte[] first() {
    byte[] bytes = new byte[StandbyWorld.SIZE];
    new Random(1).nextBytes(bytes);
    Arrays.fill(bytes, 0, 5 * BytesSource.BLOCK, (byte) 0);
    return bytes;
  }

  /** Returns content with new, changed and dropped blocks in three of four regions. */
  private static byte[] second() {
    byte[] bytes = first();
    fill(bytes, 1, 7);
    fill(bytes, 10, 0);
    fill(bytes, 20, 9);
    fill(bytes, 60, 3);
    fill(bytes, 63, 0);
    return bytes;
  }

  /** Returns content that equals the second one in blocks in which the first one differs. */
  private static byte[] impostor() {
    byte[] bytes = second();
    fill(bytes, 30, 1);
    return bytes;
  }

  private static void fill(byte[] bytes, int block, int value) {
    Arrays.fill(bytes, block * BytesSource.BLOCK, (block + 1) * BytesSource.BLOCK, (byte) value);
  }

  private static boolean has(Volume volume, String backup) {
    StandbyStatus standby = volume.status().standby();
    return standby.lastRestored().equals(backup);
  }

  private static StandbyWorld following(StandbyWorld.Mutant mutant, Base base)
      throws StorageException {
    StandbyWorld world = new StandbyWorld(mutant);
    world.backUp("b1", FIRST, true);
    world.follow("b1");
    assertThat(world.runUntil(ROUNDS, v -> has(v, "b1"))).isTrue();
    switch (base) {
      case KEPT -> {}
      case REMOVED -> world.forget("b1");
      case REPLACED -> {
        world.forget("b1");
        world.backUp("b1", impostor(), false);
      }
    }
    world.backUp("b2", SECOND, true);
    return world;
  }

  /** Returns the number of steps of applying a backup. */
  private static int steps(Base base) throws StorageException {
    try (StandbyWorld world = following(StandbyWorld.Mutant.NONE, base)) {
      int before = world.steps();
      assertThat(world.runUntil(ROUNDS, v -> has(v, "b2"))).isTrue();
      return world.steps() - before;
    }
  }

  private static void play(int step, Event event, StandbyWorld.Mutant mutant)
      throws StorageException {
    try (StandbyWorld world = following(mutant, event.base())) {
      world.plan(
          step,
          () -> {
            world.activate(event.activation());
            if (event.targetLost()) {
              world.losesTarget();
            }
            if (event.kill()) {
              world.kill();
            }
          });
      var unused = world.runUntil(ROUNDS, v -> has(v, "b2"));
      assertThat(world.runUntil(ROUNDS, v -> isActive(v)))
          .as("step %d, %s: activated: %s", step, event, world.volume().status())
          .isTrue();
      if (event.activation() == StandbyActivation.COMPLETE && !event.targetLost()) {
        assertThat(world.volume().status().standby().lastRestored()).isIn("b1", "b2");
      }
    }
  }

  private static boolean isActive(Volume volume) {
    return !volume.isStandby() && !volume.awaitsContent();
  }

  private static List<Event> events() {
    List<Event> events = new ArrayList<>();
    for (Base base : Base.values()) {
      for (boolean kill : new boolean[] {true, false}) {
        events.add(new Event(kill, false, StandbyActivation.COMPLETE_OR_REVERT, base));
        events.add(new Event(kill, true, StandbyActivation.COMPLETE_OR_REVERT, base));
        events.add(new Event(kill, false, StandbyActivation.REVERT, base));
        events.add(new Event(kill, false, StandbyActivation.COMPLETE, base));
      }
    }
    return events;
  }

  @Test
  void activationAtAnyStepGivesTheBytesOfOneBackup() throws Exception {
    List<Event> events = events();
    int steps = steps(Base.REMOVED);
    for (int i = 0; i < STEPS_IN_CI; i++) {
      Event event = events.get(i * 7 % events.size());
      play(i * steps / STEPS_IN_CI, event, StandbyWorld.Mutant.NONE);
    }
  }

  @Test
  @Tag("soak")
  void activationAtEachStepGivesTheBytesOfOneBackup() throws Exception {
    for (Event event : events()) {
      int steps = steps(event.base());
      for (int step = 0; step < steps; step++) {
        play(step, event, StandbyWorld.Mutant.NONE);
      }
    }
  }

  @Test
  void processThatIsKilledContinuesToFollow() throws Exception {
    int all = steps(Base.KEPT);
    for (int i = 0; i < 5; i++) {
      try (StandbyWorld world = following(StandbyWorld.Mutant.NONE, Base.KEPT)) {
        world.plan(i * all / 5, world::kill);
        var unused = world.runUntil(ROUNDS, v -> has(v, "b2"));
        assertThat(world.runUntil(ROUNDS, v -> has(v, "b2"))).isTrue();
      }
    }
  }

  @Test
  void comparisonWithEarlierContentIsNotApplied() throws Exception {
    try (StandbyWorld world = following(StandbyWorld.Mutant.NONE, Base.KEPT)) {
      List<Runnable> held = new ArrayList<>();
      StandbyReconciler late =
          new StandbyReconciler(
              world.targets.installed(), held::add, StandbyStep::next, new DeltaBase());
      var unused = late.reconcile(StandbyWorld.VOLUME, world.context());
      held.forEach(Runnable::run);
      assertThat(world.runUntil(ROUNDS, v -> has(v, "b2"))).isTrue();
      byte[] third = second();
      fill(third, 40, 4);
      world.backUp("b3", third, true);
      assertThat(world.runUntil(ROUNDS, v -> has(v, "b3"))).isTrue();

      unused = late.reconcile(StandbyWorld.VOLUME, world.context());
      assertThat(world.volume().awaitsContent()).isFalse();
    }
  }

  /** The node that copied an earlier backup paused until a later one is applied. */
  @Test
  void endOfAnEarlierCopyingCompletesNoLaterBackup() throws Exception {
    try (StandbyWorld world = following(StandbyWorld.Mutant.NONE, Base.KEPT)) {
      assertThat(world.runUntil(ROUNDS, v -> isCopied(v, "b2") && world.isOpen())).isTrue();
      RestoreCopyReconciler late = world.copier();
      var unused = late.reconcile(StandbyWorld.ENGINE, world.context());
      assertThat(world.runUntil(ROUNDS, v -> has(v, "b2"))).isTrue();
      byte[] third = second();
      fill(third, 40, 4);
      world.backUp("b3", third, true);
      assertThat(world.runUntil(ROUNDS, v -> isCopied(v, "b3"))).isTrue();

      unused = late.reconcile(StandbyWorld.ENGINE, world.context());
      assertThat(world.volume().awaitsContent()).isTrue();
      assertThat(world.runUntil(ROUNDS, v -> has(v, "b3"))).isTrue();
    }
  }

  private static boolean isCopied(Volume volume, String backup) {
    return volume.isBeingCopied() && volume.status().restore().backup().equals(backup);
  }

  @Test
  void onlyDifferingBlocksAreRead() throws Exception {
    try (StandbyWorld world = following(StandbyWorld.Mutant.NONE, Base.KEPT)) {
      List<String> read = new ArrayList<>();
      world.targets.plan =
          (call, key) -> {
            if (key.endsWith(".blk") && !read.contains(key)) {
              read.add(key);
            }
          };
      assertThat(world.runUntil(ROUNDS, v -> has(v, "b2"))).isTrue();
      assertThat(read).hasSize(3);
    }
  }

  @Test
  void backupThatWasFollowedIsNotAppliedAgainAfterTheNewestIsDeleted() throws Exception {
    try (StandbyWorld world = following(StandbyWorld.Mutant.NONE, Base.KEPT)) {
      assertThat(world.runUntil(ROUNDS, v -> has(v, "b2"))).isTrue();
      new ForeignCluster(world.targets.store).describe("va", "b1");
      assertThat(world.runUntil(30, v -> !has(v, "b2"))).isFalse();
    }
  }

  @Test
  void findsActivationBeforeTheBackupIsWhole() {
    StandbyWorld.Mutant mutant =
        new StandbyWorld.Mutant(
            volume -> volume.spec().standby() ? StandbyStep.next(volume) : StandbyStep.ACTIVATE,
            new DeltaBase());
    assertThatThrownBy(
            () -> {
              int steps = steps(Base.KEPT);
              for (int i = 1; i < 12; i++) {
                play(i * steps / 12, events().get(0), mutant);
              }
            })
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("has not");
  }

  @Test
  void findsBackupAppliedToAnotherBase() {
    DeltaBase byName =
        new DeltaBase() {
          @Override
          protected boolean isRecognized(StoredBackup found, String checksum) {
            return true;
          }
        };
    assertThatThrownBy(
            () ->
                play(
                    10_000,
                    new Event(false, false, StandbyActivation.COMPLETE, Base.REPLACED),
                    new StandbyWorld.Mutant(StandbyStep::next, byName)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("a mixture");
  }
}
