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
  /** The value with all fields at their defaults. */
  public static final AccessRoleStatus EMPTY = AccessRoleStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public AccessRoleStatus {
    conditions = Defaults.list(conditions);
  }
}
