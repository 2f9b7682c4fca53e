package dev.holdfast.engine.spdk.internal;

import java.util.function.Predicate;

/** Faults of the engine that the suite of crashes must find: effects that it does not make. */
@SuppressWarnings("ImmutableEnumChecker") // predicates without state
enum SpdkCrashMutant {
  /** Hosts wait for ever after a hold. */
  HOLD_LEFT(
      SpdkCrashPoint.HOLD,
      effect -> effect.startsWith("nvmf_subsystem_listener_set") && effect.contains("optimized")),
  /** The subsystem of hosts is left when the volume is closed. */
  SUBSYSTEM_LEFT(
      SpdkCrashPoint.CLOSE,
      effect -> effect.startsWith("nvmf_delete_subsystem") && effect.contains("holdfast:vol")),
  /** A deleted replica leaves its volumes. */
  VOLUMES_LEFT(SpdkCrashPoint.DELETE, effect -> effect.startsWith("bdev_lvol_delete")),
  /** A mirror is left when the volume is closed. */
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
