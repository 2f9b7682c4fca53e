package dev.holdfast.engine.spdk.internal;

import java.util.function.Predicate;

/** Faults of the engine that the crash suite must find: effects that it omits. */
@SuppressWarnings("ImmutableEnumChecker") // predicates without state
enum SpdkCrashMutant {
  /** Hosts wait forever after a hold. */
  HOLD_LEFT(
      SpdkCrashPoint.HOLD,
      effect -> effect.startsWith("nvmf_subsystem_listener_set") && effect.contains("optimized")),
  /** The subsystem of hosts remains after the volume is closed. */
  SUBSYSTEM_LEFT(
      SpdkCrashPoint.CLOSE,
      effect -> effect.startsWith("nvmf_delete_subsystem") && effect.contains("holdfast:vol")),
  /** The volumes of a deleted replica remain. */
  VOLUMES_LEFT(SpdkCrashPoint.DELETE, effect -> effect.startsWith("bdev_lvol_delete")),
  /** A mirror remains after the volume is closed. */
  MIRROR_LEFT(SpdkCrashPoint.CLOSE, effect -> effect.startsWith("bdev_raid_delete"));

  private final SpdkCrashPoint call;
  private final Predicate<String> omitted;

  SpdkCrashMutant(SpdkCrashPoint call, Predicate<String> omitted) {
    this.call = call;
    this.omitted = omitted;
  }

  SpdkCrashPoint call() {
    return call;
  }

  Predicate<String> omitted() {
    return omitted;
  }
}
