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
  /** Nothing set. */
  public static final AccessBindingStatus EMPTY = AccessBindingStatusBuilder.builder().build();

  /** Replaces what is null by its default. */
  public AccessBindingStatus {
    conditions = Defaults.list(conditions);
  }
}
