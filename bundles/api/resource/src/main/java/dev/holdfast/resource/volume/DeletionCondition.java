package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.FieldError;
import java.util.List;

/** Type and reasons of the condition of a volume whose deletion waits for its detachment. */
public final class DeletionCondition {
  /** Type of the condition. */
  public static final String TYPE = "DeletionPending";

  /** Reason: the volume has a deletion timestamp, which cannot be removed. */
  public static final String DELETION_REQUESTED = "DeletionRequested";

  /** Reason: {@code spec.deleteWhenDetached} is set; a user may still reset it. */
  public static final String DELETE_WHEN_DETACHED = "DeleteWhenDetached";

  /** Reason: the volume is detached and its deletion has begun. */
  public static final String DETACHED = "Detached";

  private DeletionCondition() {}

  static List<FieldError> validateChange(VolumeSpec spec, Volume earlier) {
    boolean begun =
        Condition.find(earlier.status().conditions(), TYPE)
            .filter(condition -> condition.reason().equals(DETACHED))
            .isPresent();
    return new Checks()
        .that(
            spec.deleteWhenDetached() || !earlier.spec().deleteWhenDetached() || !begun,
            "spec.deleteWhenDetached",
            false,
            "must stay true, because the volume is detached and its deletion has begun")
        .errors();
  }
}
