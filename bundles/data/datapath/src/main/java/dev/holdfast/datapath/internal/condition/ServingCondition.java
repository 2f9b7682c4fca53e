package dev.holdfast.datapath.internal.condition;

import dev.holdfast.datapath.ServingState;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Condition of an Engine: how hosts reach its volume. It is absent where the engine leaves no
 * choice. Until its status is False, an export of the engine may serve hosts, also while no process
 * of the platform runs.
 */
public final class ServingCondition {
  public static final String TYPE = "ServedNatively";

  private ServingCondition() {}

  /** Records, before an export is created, that it may exist; keeps an existing claim. */
  public static EngineStatus claimed(EngineStatus status, Instant now) {
    return mayServe(status)
        ? status
        : with(status, Condition.Status.UNKNOWN, "Exporting", "the engine exports it", now);
  }

  /** Reports the path in use; keeps the condition when this process has not decided yet. */
  public static EngineStatus of(EngineStatus status, Optional<ServingState> serving, Instant now) {
    if (serving.isEmpty()) {
      return status;
    }
    ServingState state = serving.get();
    return state.reason().isEmpty()
        ? without(status)
        : with(
            status,
            switch (state.way()) {
              case NATIVE -> Condition.Status.TRUE;
              case PORTAL -> Condition.Status.FALSE;
              case CHANGING -> Condition.Status.UNKNOWN;
            },
            state.reason(),
            state.message(),
            now);
  }

  /** Reports why an export that must end may not have ended. */
  public static EngineStatus notWithdrawn(
      EngineStatus status, String reason, String message, Instant now) {
    return with(status, Condition.Status.UNKNOWN, reason, message, now);
  }

  public static EngineStatus without(EngineStatus status) {
    List<Condition> others =
        status.conditions().stream().filter(c -> !c.type().equals(TYPE)).toList();
    return others.size() == status.conditions().size() ? status : status.withConditions(others);
  }

  /** Returns whether an export may serve hosts. */
  public static boolean mayServe(EngineStatus status) {
    return Condition.find(status.conditions(), TYPE)
        .filter(condition -> condition.status() != Condition.Status.FALSE)
        .isPresent();
  }

  /** Returns whether the way of serving an engine's volume is known. */
  public static boolean isKnown(Engine engine) {
    return Condition.find(engine.status().conditions(), TYPE).isPresent();
  }

  private static EngineStatus with(
      EngineStatus status, Condition.Status value, String reason, String message, Instant now) {
    return status.withConditions(
        Condition.with(status.conditions(), TYPE, value, reason, message, now));
  }
}
