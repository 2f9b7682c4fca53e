package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The outcome of a system restore for the resources of one kind.
 *
 * @param kind name of the kind
 * @param restored number of resources that the restore created or changed
 * @param existing number of resources that existed and were left unchanged
 * @param skipped number of resources that the restore deliberately omits
 * @param failed number of resources that could not be restored
 */
@RecordBuilder
public record RestoredKind(String kind, int restored, int existing, int skipped, int failed)
    implements RestoredKindBuilder.With {
  /** The value with all fields at their defaults. */
  public static final RestoredKind EMPTY = RestoredKindBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public RestoredKind {
    kind = Defaults.text(kind);
  }
}
