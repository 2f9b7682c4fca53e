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
  /** Nothing set. */
  public static final BlockClientStatus EMPTY = BlockClientStatusBuilder.builder().build();

  /** Replaces what is null by its default. */
  public BlockClientStatus {
    conditions = Defaults.list(conditions);
  }
}
