package dev.holdfast.engine;

import java.util.Objects;

/**
 * State of a base.
 *
 * @param sealed whether its content is complete and no longer changes
 * @param altered whether another program may have changed a sealed one since; no replica is
 *     provisioned on it or opened above it before {@link BaseEngine#confirmBase}
 * @param sizeBytes of its content
 * @param storedBytes on its disk
 * @param contentChecksum that it was sealed with, empty for an unfinished one, not null
 * @since 2.2
 */
public record BaseInfo(
    boolean sealed, boolean altered, long sizeBytes, long storedBytes, String contentChecksum) {
  /** Checks that nothing is missing. */
  public BaseInfo {
    Objects.requireNonNull(contentChecksum, "contentChecksum");
  }
}
