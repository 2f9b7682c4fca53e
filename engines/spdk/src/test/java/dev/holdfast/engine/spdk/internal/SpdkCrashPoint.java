package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls during which the process ends, with the required state after the next start. */
@SuppressWarnings("ImmutableEnumChecker") // lambdas without state
enum SpdkCrashPoint {
  CREATE(world -> {}, SpdkCrashWorld::provision),
  OPEN(SpdkCrashWorld::provision, SpdkCrashWorld::open),
  SNAPSHOT(SpdkCrashWorld::write, world -> world.snapshot("s2")),
  DELETE_SNAPSHOT(SpdkCrashWorld::write, world -> world.volume().deleteSnapshot("s1")),
  REVERT(SpdkCrashWorld::write, world -> world.volume().revert("s1")),
  CLONE(SpdkCrashWorld::write, SpdkCrashWorld::copy),
  EXPAND(SpdkCrashWorld::write, world -> world.volume().expand(2 * SpdkCrashWorld.SIZE)),
  REMOVE_REPLICA(SpdkCrashWorld::write, world -> world.volume().removeReplica("vol-r-1")),
  REBUILD(SpdkCrashPoint::degraded, SpdkCrashWorld::rebuild),
  EXPORT(SpdkCrashWorld::write, SpdkCrashWorld::export),
  SNAPSHOT_EXPORTED(SpdkCrashPoint::exported, world -> world.snapshot("s2")),
  HOLD(SpdkCrashPoint::exported, SpdkCrashWorld::hold),
  REPLACE_TARGET(SpdkCrashPoint::exported, SpdkCrashWorld::replaceTarget),
  CLOSE(SpdkCrashPoint::exported, world -> world.volume().close()),
  DELETE(
      world -> {
        world.write();
        world.volume().close();
      },
      SpdkCrashWorld::delete);

  private final SpdkCrashWorld.Step before;
  private final SpdkCrashWorld.Step call;

  SpdkCrashPoint(SpdkCrashWorld.Step before, SpdkCrashWorld.Step call) {
    this.before = before;
    this.call = call;
  }

  private static void degraded(SpdkCrashWorld world) throws Exception {
    world.write();
    world.volume().removeReplica("vol-r-1");
    world.snapshot("s2");
  }

  private static void exported(SpdkCrashWorld world) throws Exception {
    world.write();
    var unused = world.export();
  }

  /**
   * Ends processes before an effect of the call, starts them again, repeats the call, and deletes
   * all objects.
   *
   * @return whether the call has this effect
   */
  boolean tryAt(SpdkCrashWorld world, int effect) throws Exception {
    before.run(world);
    boolean ended = world.interrupted(call, effect);
    switch (this) {
      case CREATE, DELETE -> call.run(world);
      case OPEN -> world.open();
      case CLOSE -> {
        world.open();
        world.checkContent();
        call.run(world);
      }
      case SNAPSHOT,
          DELETE_SNAPSHOT,
          REVERT,
          CLONE,
          EXPAND,
          REMOVE_REPLICA,
          REBUILD,
          EXPORT,
          SNAPSHOT_EXPORTED,
          HOLD,
          REPLACE_TARGET -> {
        world.reopen();
        world.checkContent();
        if (this != REBUILD || !world.isWhole()) {
          repeat(world);
        }
        check(world);
      }
    }
    world.deleteAll();
    return ended;
  }

  private void repeat(SpdkCrashWorld world) throws Exception {
    if (this != REMOVE_REPLICA || world.isRemovable("vol-r-1")) {
      call.run(world);
    }
  }

  private void check(SpdkCrashWorld world) throws Exception {
    switch (this) {
      case REVERT -> assertThat(world.isOld()).as("content after the reversion").isTrue();
      case CLONE -> world.checkClone();
      case EXPAND -> assertThat(world.volume().device().size()).isEqualTo(2 * SpdkCrashWorld.SIZE);
      case SNAPSHOT, SNAPSHOT_EXPORTED -> assertThat(world.volume().snapshots()).hasSize(2);
      case REBUILD -> assertThat(world.isWhole()).as("both replicas are current").isTrue();
      case DELETE_SNAPSHOT -> assertThat(world.volume().snapshots()).isEmpty();
      case REPLACE_TARGET -> {
        world.awaitRestored();
        world.checkServing();
      }
      case HOLD, EXPORT -> world.checkServing();
      case CREATE, OPEN, REMOVE_REPLICA, CLOSE, DELETE -> {}
    }
  }
}
