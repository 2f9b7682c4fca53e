package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The durable record of a volume's generation, epoch and members.
 *
 * @param generation number of the opening; only the highest generation may write
 * @param owner node of the engine of that generation
 * @param epochGeneration generation in which the epoch was decided
 * @param epochNumber number of the epoch in that generation
 * @param members identities of the members of this epoch, sorted
 * @param sizeBytes of the volume, 0 before the first opening
 * @param pendingOperation a structural operation that all members must apply, in the engine's own
 *     format; empty for none
 * @param history the latest epochs including this one, oldest first
 */
@RecordBuilder
public record MembershipRecord(
    long generation,
    String owner,
    long epochGeneration,
    long epochNumber,
    List<String> members,
    long sizeBytes,
    String pendingOperation,
    List<EpochRecord> history)
    implements MembershipRecordBuilder.With {
  /** The value with all fields at their defaults. */
  public static final MembershipRecord EMPTY = MembershipRecordBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public MembershipRecord {
    owner = Defaults.text(owner);
    members = Defaults.list(members);
    pendingOperation = Defaults.text(pendingOperation);
    history = Defaults.list(history);
  }
}
