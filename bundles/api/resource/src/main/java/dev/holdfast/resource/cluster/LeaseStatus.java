package dev.holdfast.resource.cluster;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The status of a lease, which carries no information.
 *
 * @param seen always false
 */
@RecordBuilder
public record LeaseStatus(boolean seen) implements LeaseStatusBuilder.With {
  /** Nothing set. */
  public static final LeaseStatus EMPTY = new LeaseStatus(false);

  /** Replaces null components by their defaults and copies the collections. */
  public LeaseStatus {}
}
