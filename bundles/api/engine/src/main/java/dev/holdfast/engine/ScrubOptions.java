package dev.holdfast.engine;

/**
 * How scrubbing goes about its work.
 *
 * @param bytesPerSecond the most it may read of each replica, 0 for no limit; requests of clients
 *     come first in any case
 */
public record ScrubOptions(long bytesPerSecond) {
  /** No limit. */
  public static final ScrubOptions UNLIMITED = new ScrubOptions(0);

  /** Checks the limit. */
  public ScrubOptions {
    if (bytesPerSecond < 0) {
      throw new IllegalArgumentException(
          "bytesPerSecond: must be at least 0, which means no limit: " + bytesPerSecond);
    }
  }
}
