package dev.holdfast.engine;

/**
 * Options of a rebuild.
 *
 * @param bytesPerSecond limit of the copy rate, 0 for no limit; requests of clients always have
 *     priority
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
