package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * One epoch in a volume's history.
 *
 * @param generation generation in which the epoch was decided
 * @param number number of the epoch in that generation
 * @param members identities of the members, sorted
 * @param reason cause of the change, for users
 */
@RecordBuilder
public record EpochRecord(long generation, long number, List<String> members, String reason)
    implements EpochRecordBuilder.With {
  /** Replaces null components by their defaults and copies the collections. */
  public EpochRecord {
    members = Defaults.list(members);
    reason = Defaults.text(reason);
  }
}
