package dev.holdfast.resource.snapshot;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Asks where a snapshot differs from an earlier one.
 *
 * @param id that nobody used before, one for each page; empty when nothing is asked
 * @param from name in the volume of the earlier snapshot, an ancestor; empty for what is allocated
 * @param offset in bytes, at which the page begins
 */
@RecordBuilder
public record ChangesRequest(String id, String from, long offset)
    implements ChangesRequestBuilder.With {
  /** Nothing is asked. */
  public static final ChangesRequest NONE = new ChangesRequest(null, null, 0);

  private static final int LONGEST_ID = 253;

  /** Replaces what is null by its default. */
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
