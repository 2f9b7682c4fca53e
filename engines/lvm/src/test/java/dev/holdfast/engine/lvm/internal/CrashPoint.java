package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls during which the process ends, with the required state after the next start. */
@SuppressWarnings("ImmutableEnumChecker") // lambdas without state
enum CrashPoint {
  CREATE(world -> {}, CrashWorld::provision),
  OPEN(CrashWorld::provision, CrashWorld::open),
  SNAPSHOT(CrashWorld::write, world -> world.snapshot("s2")),
  DELETE_SNAPSHOT(CrashWorld::write, world -> world.volume().deleteSnapshot("s1")),
  READ_SNAPSHOT(CrashWorld::write, CrashWorld::readSnapshot),
  COMPARE(CrashWorld::write, CrashWorld::compare),
  REVERT(CrashWorld::write, world -> world.volume().revert("s1")),
  CLONE(CrashWorld::write, world -> world.copy("s1")),
  EXPAND(CrashWorld::write, world -> world.volume().expand(2 * CrashWorld.SIZE)),
  EXPORT(CrashWorld::write, CrashWorld::export),
  EXPAND_EXPORTED(CrashPoint::exported, world -> world.volume().expand(2 * CrashWorld.SIZE)),
  HOLD(CrashPoint::exported, CrashWorld::hold),
  WITHDRAW(CrashPoint::exported, world -> world.export().close()),
  REPLACE(CrashPoint::exported, CrashWorld::replace),
  CLOSE(CrashPoint::exported, CrashWorld::close),
  DELETE(
      world -> {
        world.write();
        world.close();
      },
      CrashWorld::delete);

  private final CrashWorld.Step before;
  private final CrashWorld.Step call;

  CrashPoint(CrashWorld.Step before, CrashWorld.Step call) {
    this.before = before;
    this.call = call;
  }

  private static void exported(CrashWorld world) throws Exception {
    world.write();
    var unused = world.export();
  }

  /** Returns whether the call writes records in the store. */
  boolean isRecorded() {
    return switch (this) {
      case CREATE,
          OPEN,
          SNAPSHOT,
          DELETE_SNAPSHOT,
          READ_SNAPSHOT,
          COMPARE,
          REVERT,
          CLONE,
          EXPAND,
          EXPAND_EXPORTED,
          CLOSE,
          DELETE ->
          true;
      case EXPORT, HOLD, WITHDRAW, REPLACE -> false;
    };
  }

  /**
   * Ends the process at one point of the call, starts it again, repeats the call, and deletes all
   * objects.
   *
   * @return whether the call has this point
   */
  boolean tryAt(CrashWorld world, int point, boolean after, boolean atRecord) throws Exception {
    before.run(world);
    boolean ended = world.interrupted(call, point, after, atRecord);
    if (this == HOLD) {
      world.checkPassing();
    }
    if (this != CREATE && (this != DELETE || world.isPresent())) {
      if (this == DELETE) {
        world.delete();
      } else {
        world.open();
        world.checkContent();
        if (this == SNAPSHOT && ended) {
          world.snapshot("s2");
        } else if (this != SNAPSHOT && this != OPEN) {
          call.run(world);
        }
      }
    } else {
      call.run(world);
    }
    check(world);
    world.deleteAll();
    return ended;
  }

  private void check(CrashWorld world) throws Exception {
    switch (this) {
      case REVERT -> assertThat(world.isOld()).as("content after the reversion").isTrue();
      case CLONE -> world.checkClone();
      case EXPAND, EXPAND_EXPORTED ->
          assertThat(world.volume().device().size()).isEqualTo(2 * CrashWorld.SIZE);
      case SNAPSHOT -> assertThat(world.volume().snapshots()).hasSize(2);
      case DELETE_SNAPSHOT -> assertThat(world.volume().snapshots()).isEmpty();
      case DELETE -> assertThat(world.isPresent()).isFalse();
      case HOLD, EXPORT -> world.checkServing();
      case CREATE, OPEN, READ_SNAPSHOT, COMPARE, WITHDRAW, REPLACE, CLOSE -> {}
    }
  }
}
