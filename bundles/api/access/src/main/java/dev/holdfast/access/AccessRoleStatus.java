package dev.holdfast.access;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The observed state of an access role.
 *
 * @param conditions observed aspects; none is reported yet
 */
@RecordBuilder
public record AccessRoleStatus(List<Condition> conditions) implements AccessRoleStatusBuilder.With {
  /** Nothing set. */
  public static final AccessRoleStatus EMPTY = AccessRoleStatusBuilder.builder().build();

  /** Replaces what is null by its default. */
  public AccessRoleStatus {
    conditions = Defaults.list(conditions);
  }
}
