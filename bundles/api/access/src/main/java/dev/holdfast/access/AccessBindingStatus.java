package dev.holdfast.access;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The observed state of an access binding.
 *
 * @param conditions observed aspects; none is reported yet
 */
@RecordBuilder
public record AccessBindingStatus(List<Condition> conditions)
    implements AccessBindingStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final AccessBindingStatus EMPTY = AccessBindingStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public AccessBindingStatus {
    conditions = Defaults.list(conditions);
  }
}
