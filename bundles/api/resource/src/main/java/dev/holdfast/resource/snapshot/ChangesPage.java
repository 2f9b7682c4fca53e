package dev.holdfast.resource.snapshot;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * One page of the ranges in which a snapshot differs from an earlier one.
 *
 * @param requestID id of the request that this page answers; empty if there was none
 * @param ranges ranges that may differ, in ascending order, in multiples of 4096 bytes
 * @param nextOffset offset of the next page; 0 for the last page
 * @param error cause of a failure; empty if there is none
 */
@RecordBuilder
public record ChangesPage(
    String requestID, List<ChangedRange> ranges, long nextOffset, String error)
    implements ChangesPageBuilder.With {
  /** The page without a request. */
  public static final ChangesPage EMPTY = new ChangesPage(null, null, 0, null);

  /** Replaces null components by their defaults and copies the list. */
  public ChangesPage {
    requestID = Defaults.text(requestID);
    ranges = Defaults.list(ranges);
    error = Defaults.text(error);
  }
}
