package dev.holdfast.engine;

import java.util.Objects;

/**
 * State of a base.
 *
 * @param sealed whether its content is complete and no longer changes
 * @param altered whether another program may have changed the base after it was sealed; before
 *     {@link BaseEngine#confirmBase} the engine neither provisions nor opens replicas that use it
 * @param sizeBytes size of its content
 * @param storedBytes allocated space on its disk
 * @param contentChecksum the content checksum with which it was sealed; empty for an unfinished
 *     base; not null
 * @since 2.2
 */
public record BaseInfo(
    boolean sealed, boolean altered, long sizeBytes, long storedBytes, String contentChecksum) {
  /** Rejects null components. */
  public BaseInfo {
    Objects.requireNonNull(contentChecksum, "contentChecksum");
  }
}
