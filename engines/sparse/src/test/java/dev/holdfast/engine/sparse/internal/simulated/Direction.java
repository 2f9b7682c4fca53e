package dev.holdfast.engine.sparse.internal.simulated;

import static dev.holdfast.engine.sparse.internal.simulated.Fault.ALL_POWER;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.BUNDLE_REPLACED;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.CLONE;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.COMMIT_BREAKS;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.CUT_OFF;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.DISK_BREAKS;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.DISK_HANGS;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.ERROR;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.HANG_UP;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.KILL;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.OPEN;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.PART;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.POWER;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.ROT;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.SALVAGE;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.SECTOR_UNREADABLE;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.SWEEP;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.SYNC_FAILS;
import static dev.holdfast.engine.sparse.internal.simulated.Fault.WRITE_HANGS;

import dev.holdfast.engine.sparse.simulation.Rule;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Emphasis of histories: all events, or, for a removed rule, the events that show its absence.
 * Otherwise some mutants are detected only once in thousands of histories.
 *
 * @param layouts numbers of replicas, chosen at random; {@link #WITNESS} for two and a witness
 * @param structure percentage of steps that change snapshots, size or members
 * @param faults faults that are chosen at random
 */
record Direction(List<Integer> layouts, int structure, List<Fault> faults) {
  /** Two replicas and a witness. */
  static final int WITNESS = 0;

  private static final int SALVAGES = 8;
  // Schedules have these faults. Undirected histories have them only on request, because each
  // further fault makes the others rarer.
  private static final Set<Fault> WIDE = EnumSet.of(COMMIT_BREAKS, SECTOR_UNREADABLE);
  private static final Direction SALVAGED = anywhere(EnumSet.noneOf(Fault.class));
  private static final Direction ANYWHERE = anywhere(EnumSet.of(SALVAGE));

  private static Direction anywhere(Set<Fault> but) {
    Set<Fault> faults = EnumSet.allOf(Fault.class);
    faults.removeAll(but);
    if (!Boolean.getBoolean("holdfast.simulation.wide")) {
      faults.removeAll(WIDE);
    }
    return new Direction(List.of(1, 2, 3, WITNESS), 4, List.copyOf(faults));
  }

  /**
   * Returns the direction of a history that shows that a rule is missing. A salvage permits many
   * contents, so only some of the undirected histories have one.
   */
  static Direction of(Rule without, Random random) {
    return switch (without) {
      case NONE, FLUSH -> random.nextInt(SALVAGES) == 0 ? SALVAGED : ANYWHERE;
      case ACKNOWLEDGED_BEFORE_DROP, ACKNOWLEDGED_DURING_DROP ->
          two(PART, PART, CUT_OFF, POWER, OPEN);
      case ACKNOWLEDGED_AT_TAKEOVER -> two(PART, HANG_UP, OPEN);
      case DECIDED_ALONE, DROP_DECIDED -> two(PART, CUT_OFF, KILL, OPEN);
      case DROP_FLUSHED,
          COPY_BELOW_HEAD,
          TARGET_GETS_CHANGES,
          TRIM_BY_ALL_LAYERS,
          ERROR_EQUALISED,
          LOCK_HONOURED,
          REFUSED_OPERATION_MISSED,
          UNREADABLE_LEFT_OUT,
          SALVAGE_MISSES_ALL,
          SALVAGED_TOGETHER ->
          two();
      case START_WITH_STORE -> two(PART, CUT_OFF, KILL, OPEN);
      case START_WITH_MAJORITY -> three(PART, PART, CUT_OFF, CUT_OFF, OPEN);
      case EPOCH_BEFORE_READ -> two(PART, KILL, OPEN);
      case ALL_AFTER_POWER_LOSS -> two(POWER, PART, OPEN);
      case RESYNC, BOOT, MARKS, MARKS_DURABLE, MARKS_UNTIL_FLUSH -> two(POWER, KILL, OPEN);
      case MARKS_UNTIL_ALL_FLUSHED -> two(POWER, KILL, OPEN, SWEEP);
      case FENCING -> two(PART, HANG_UP, OPEN);
      case ERROR_FAILS_ONE_REQUEST -> new Direction(List.of(1), 0, List.of(ERROR, ERROR, KILL));
      case HUNG_BUFFER_HELD -> two(WRITE_HANGS, WRITE_HANGS, WRITE_HANGS);
      case FENCING_DRAINS -> two(WRITE_HANGS, WRITE_HANGS, HANG_UP, HANG_UP, HANG_UP);
      case WITNESS_FENCED_AGAIN, PROMISE_DURABLE -> new Direction(List.of(WITNESS), 0, List.of());
      case SESSION_RAISED -> two(HANG_UP, HANG_UP, DISK_HANGS);
      case MARKS_MERGED, MISSED_NOTED -> two(PART, HANG_UP, DISK_BREAKS);
      case OWN_MARKS_COPIED -> two(PART, CUT_OFF, OPEN, OPEN, SWEEP, SWEEP);
      case READS_WAIT, CHANGES_ORDERED -> two(POWER, OPEN, HANG_UP);
      case SYNC_ONCE -> two(SYNC_FAILS, SYNC_FAILS, SYNC_FAILS, ALL_POWER);
      case SENT_AGAIN_TO_THE_SAME -> two(POWER, POWER, PART, OPEN);
      case SNAPSHOT_GATED -> structured(SWEEP, HANG_UP, ALL_POWER);
      case OPENED_WHILE_STOPPING_CLOSED -> two(BUNDLE_REPLACED, BUNDLE_REPLACED, OPEN, OPEN);
      case LOCK_RELEASED -> new Direction(List.of(1, 2), 0, List.of(BUNDLE_REPLACED, OPEN));
      case SHARED_LAYERS_COPIED -> structured(CLONE, CLONE, ROT, ROT, SWEEP, HANG_UP);
      case SUMS_KEPT, SCRUB_REPAIRS, SCRUB_GUESSES_NOTHING -> structured(ROT, ROT, SWEEP);
    };
  }

  private static Direction two(Fault... faults) {
    return new Direction(List.of(2), 0, List.of(faults));
  }

  private static Direction structured(Fault... faults) {
    return new Direction(List.of(2), 8, List.of(faults));
  }

  private static Direction three(Fault... faults) {
    return new Direction(List.of(3), 0, List.of(faults));
  }

  /** Returns a layout, from 0; the last is the one with a witness. */
  int layout(Random random) {
    int replicas = layouts.get(random.nextInt(layouts.size()));
    return replicas == WITNESS ? 3 : replicas - 1;
  }

  Fault fault(Random random) {
    return faults.get(random.nextInt(faults.size()));
  }
}
