package dev.holdfast.engine;

/**
 * How a rebuild goes about its work.
 *
 * @param bytesPerSecond the most it may copy, 0 for no limit; requests of clients come first in any
 *     case
 */
public record RebuildOptions(long bytesPerSecond) {
  /** No limit. */
  public static final RebuildOptions UNLIMITED = new RebuildOptions(0);

  /** Checks the limit. */
  public RebuildOptions {
    if (bytesPerSecond < 0) {
      throw new IllegalArgumentException(
          "bytesPerSecond: must be at least 0, which means no limit: " + bytesPerSecond);
    }
  }
}
