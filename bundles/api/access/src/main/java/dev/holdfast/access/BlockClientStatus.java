package dev.holdfast.access;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The observed state of a client.
 *
 * @param conditions of the client
 */
@RecordBuilder
public record BlockClientStatus(List<Condition> conditions)
    implements BlockClientStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BlockClientStatus EMPTY = BlockClientStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public BlockClientStatus {
    conditions = Defaults.list(conditions);
  }
}
