package dev.holdfast.engine;

/**
 * Options of a scrub.
 *
 * @param bytesPerSecond limit of the read rate of each replica, 0 for no limit; requests of clients
 *     always have priority
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
