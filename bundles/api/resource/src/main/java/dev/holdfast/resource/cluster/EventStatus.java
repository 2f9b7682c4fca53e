package dev.holdfast.resource.cluster;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The status of an event, which carries no information.
 *
 * @param seen always false
 */
@RecordBuilder
public record EventStatus(boolean seen) implements EventStatusBuilder.With {
  /** Nothing set. */
  public static final EventStatus EMPTY = new EventStatus(false);

  /** Replaces null components by their defaults and copies the collections. */
  public EventStatus {}
}
