package dev.holdfast.datapath.internal.condition;

import dev.holdfast.datapath.ConditionReasons;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import java.time.Instant;
import java.util.Optional;

/** Condition of an Engine: which node uses the disk of its volume, and why. */
public final class PlacedCondition {
  private static final String TYPE = Engine.PLACED_CONDITION;

  private PlacedCondition() {}

  /**
   * Returns a status with the place of the volume; that of a volume that was closed is unchanged.
   *
   * @param active the node that uses the disk, empty to keep the known one
   * @param failure of a move, empty for none
   */
  public static EngineStatus of(
      Engine engine, Optional<String> active, Optional<StorageException> failure, Instant now) {
    if (engine.status().currentState() == InstanceState.STOPPED) {
      return engine.status();
    }
    EngineStatus status =
        engine.status().withActiveNodeID(active.orElse(engine.status().activeNodeID()));
    boolean local = status.activeNodeID().equals(status.nodeID());
    if (failure.isPresent()) {
      return with(
          status,
          Condition.Status.FALSE,
          ConditionReasons.of(failure.get().code()),
          String.valueOf(failure.get().getMessage()),
          now);
    }
    return local
        ? with(status, Condition.Status.TRUE, "Local", "", now)
        : with(status, Condition.Status.FALSE, "Remote", remote(engine, status), now);
  }

  /** Returns a status without the condition, for a volume that is not open. */
  public static EngineStatus without(EngineStatus status) {
    return status
        .withActiveNodeID("")
        .withConditions(status.conditions().stream().filter(c -> !c.type().equals(TYPE)).toList());
  }

  private static String remote(Engine engine, EngineStatus status) {
    if (status.activeNodeID().isEmpty()) {
      return "no node uses the disk: requests wait until one does";
    }
    String volume = engine.spec().volume();
    return "requests pass through node "
        + status.activeNodeID()
        + ", which uses the disk: 'holdfast volume optimize "
        + volume
        + " --node "
        + status.nodeID()
        + "' lets this node use it";
  }

  private static EngineStatus with(
      EngineStatus status, Condition.Status value, String reason, String message, Instant now) {
    return status.withConditions(
        Condition.with(status.conditions(), TYPE, value, reason, message, now));
  }
}
