package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.lvm.internal.replica.LvmReplica;
import dev.holdfast.engine.lvm.internal.replica.ReplicaFormat;
import dev.holdfast.engine.lvm.internal.replica.StoredSnapshot;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.ProgramCall;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Faults of the engine that the crash suite must find. */
@SuppressWarnings("ImmutableEnumChecker") // lambdas without state
enum CrashMutant {
  /** The engine does not record a revert before it deletes the live content. */
  REVERSION_NOT_RECORDED(CrashPoint.REVERT, record(replica -> replica.reverting(""))),
  /** The engine records a snapshot as present before its blob exists. */
  SNAPSHOT_TOO_EARLY(
      CrashPoint.SNAPSHOT,
      record(
          replica -> {
            LvmReplica next = replica;
            for (StoredSnapshot snapshot : replica.snapshots()) {
              next = next.marking(snapshot.name(), StoredSnapshot.Phase.PRESENT);
            }
            return next;
          })),
  /** The engine does not record a snapshot before it creates the blob. */
  SNAPSHOT_NOT_RECORDED(
      CrashPoint.SNAPSHOT,
      record(
          replica -> {
            LvmReplica next = replica;
            for (StoredSnapshot snapshot : replica.snapshots()) {
              next =
                  snapshot.phase() == StoredSnapshot.Phase.CREATING ? next.without(snapshot) : next;
            }
            return next;
          })),
  /** The engine records a replica as present before its blob exists. */
  REPLICA_TOO_EARLY(CrashPoint.CREATE, record(replica -> replica.in(LvmReplica.Phase.PRESENT))),
  /** The device for hosts remains after the volume is closed. */
  DEVICE_LEFT(
      CrashPoint.CLOSE,
      host(call -> call.toString().contains(" remove ") && !call.toString().endsWith("-l"))),
  /** Requests of hosts wait forever after a hold. */
  HOLD_LEFT(CrashPoint.HOLD, host(call -> call.toString().contains(" resume "))),
  /** No other process ends a hold when the engine's process dies. */
  HOLD_NOT_GUARDED(CrashPoint.HOLD, host(call -> call.toString().contains("hold-guard")));

  /** Place of a fault. */
  interface Plant {
    void in(SimulatedLab lab);
  }

  private final CrashPoint call;
  private final Plant plant;

  CrashMutant(CrashPoint call, Plant plant) {
    this.call = call;
    this.plant = plant;
  }

  CrashPoint call() {
    return call;
  }

  SimulatedLab lab() {
    SimulatedLab lab = new SimulatedLab();
    plant.in(lab);
    return lab;
  }

  private static Plant host(Predicate<ProgramCall> ignored) {
    return lab -> lab.simulation().ignore(ignored);
  }

  /** Changes the bytes of the write but not its identity. */
  private static Plant record(UnaryOperator<LvmReplica> change) {
    return lab ->
        lab.records()
            .change(
                stored ->
                    stored.name().startsWith("replica.") ? rewritten(stored, change) : stored);
  }

  private static EngineRecord rewritten(EngineRecord stored, UnaryOperator<LvmReplica> change) {
    try {
      LvmReplica replica =
          ReplicaFormat.read("record", ReplicaFormat.parse("record", stored.value()));
      return new EngineRecord(
          stored.name(),
          stored.version(),
          stored.writer(),
          ReplicaFormat.bytes(ReplicaFormat.write(change.apply(replica))));
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }
}
