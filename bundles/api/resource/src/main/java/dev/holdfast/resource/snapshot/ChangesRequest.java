package dev.holdfast.resource.snapshot;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A request for the ranges in which a snapshot differs from an earlier one.
 *
 * @param id an id that was not used before, one for each page; empty for no request
 * @param from name in the volume of the earlier snapshot, which must be an ancestor; empty for all
 *     allocated ranges
 * @param offset first byte of the page
 */
@RecordBuilder
public record ChangesRequest(String id, String from, long offset)
    implements ChangesRequestBuilder.With {
  /** No request. */
  public static final ChangesRequest NONE = new ChangesRequest(null, null, 0);

  private static final int LONGEST_ID = 253;

  /** Replaces null components by their defaults. */
  public ChangesRequest {
    id = Defaults.text(id);
    from = Defaults.text(from);
  }

  Checks checked(Checks checks, String path) {
    return checks
        .that(
            id.length() <= LONGEST_ID,
            path + ".id",
            id,
            "must be at most " + LONGEST_ID + " characters")
        .that(offset >= 0, path + ".offset", offset, "must be at least 0");
  }
}
