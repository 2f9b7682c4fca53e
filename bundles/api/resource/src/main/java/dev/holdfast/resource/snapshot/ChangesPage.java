package dev.holdfast.resource.snapshot;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * A part of the answer to where a snapshot differs from an earlier one.
 *
 * @param requestID of the request that this answers, empty when there was none
 * @param ranges that may differ, in ascending order, in multiples of 4096 bytes
 * @param nextOffset where the next page begins, 0 when this is the last
 * @param error why there is no answer, empty when there is
 */
@RecordBuilder
public record ChangesPage(
    String requestID, List<ChangedRange> ranges, long nextOffset, String error)
    implements ChangesPageBuilder.With {
  /** Nothing was asked. */
  public static final ChangesPage EMPTY = new ChangesPage(null, null, 0, null);

  /** Replaces what is null by its default and copies the list. */
  public ChangesPage {
    requestID = Defaults.text(requestID);
    ranges = Defaults.list(ranges);
    error = Defaults.text(error);
  }
}
