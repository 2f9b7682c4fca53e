package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The outcome of a system restore for the resources of one kind.
 *
 * @param kind name of the kind
 * @param restored number of resources that the restore created or changed
 * @param existing number of resources that were there and were left as they are
 * @param skipped number of resources that the restore leaves out on purpose
 * @param failed number of resources that could not be restored
 */
@RecordBuilder
public record RestoredKind(String kind, int restored, int existing, int skipped, int failed)
    implements RestoredKindBuilder.With {
  /** Nothing set. */
  public static final RestoredKind EMPTY = RestoredKindBuilder.builder().build();

  /** Replaces what is null by its default. */
  public RestoredKind {
    kind = Defaults.text(kind);
  }
}
