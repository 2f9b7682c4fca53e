package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * An epoch that a volume had (docs/REPLICATION.md).
 *
 * @param generation in which it was decided
 * @param number in that generation
 * @param members identities of the replicas that were current in it, sorted
 * @param reason why it began, for a person
 */
@RecordBuilder
public record EpochRecord(long generation, long number, List<String> members, String reason)
    implements EpochRecordBuilder.With {
  /** Replaces what is null by its default and copies the collections. */
  public EpochRecord {
    members = Defaults.list(members);
    reason = Defaults.text(reason);
  }
}
