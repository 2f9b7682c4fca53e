package dev.holdfast.datapath.internal.condition;

import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import java.time.Instant;
import java.util.Optional;

/** Condition of an Engine: the cause for which requests to its volume wait. */
public final class RequestsPassCondition {
  private static final String TYPE = Engine.REQUESTS_PASS_CONDITION;

  private RequestsPassCondition() {}

  /**
   * Returns a status with what requests wait for.
   *
   * @param wait empty while they pass, and while the volume is not open
   */
  public static EngineStatus of(EngineStatus status, Optional<RequestWait> wait, Instant now) {
    return status.withConditions(
        wait.map(
                what ->
                    Condition.with(
                        status.conditions(),
                        TYPE,
                        Condition.Status.FALSE,
                        what.reason(),
                        what.message(),
                        now))
            .orElseGet(
                () -> status.conditions().stream().filter(c -> !c.type().equals(TYPE)).toList()));
  }
}
