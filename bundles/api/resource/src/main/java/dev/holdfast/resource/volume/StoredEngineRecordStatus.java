package dev.holdfast.resource.volume;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The status of an engine's record, which carries no information.
 *
 * @param seen always false
 */
@RecordBuilder
public record StoredEngineRecordStatus(boolean seen)
    implements StoredEngineRecordStatusBuilder.With {
  /** Nothing set. */
  public static final StoredEngineRecordStatus EMPTY = new StoredEngineRecordStatus(false);
}
