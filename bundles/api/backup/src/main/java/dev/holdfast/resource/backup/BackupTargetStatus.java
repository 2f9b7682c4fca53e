package dev.holdfast.resource.backup;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The observed state of a backup target.
 *
 * @param available whether the target answered the last time
 * @param conditions observed aspects: Available, with the reason while it does not answer
 */
@RecordBuilder
public record BackupTargetStatus(boolean available, List<Condition> conditions)
    implements BackupTargetStatusBuilder.With {
  /** Nothing set. */
  public static final BackupTargetStatus EMPTY = BackupTargetStatusBuilder.builder().build();

  /** Replaces what is null by its default and copies the collections. */
  public BackupTargetStatus {
    conditions = Defaults.list(conditions);
  }
}
