package dev.holdfast.engine.export;

/**
 * Limits of an export; 0 means no limit. Trims and zeroings count as writes; an engine may or may
 * not count their length as bytes.
 *
 * @param requests of both directions a second
 * @param bytes of both directions a second
 * @param reads requests a second
 * @param bytesRead a second
 * @param writes requests a second
 * @param bytesWritten a second
 * @param burstSeconds how long unused allowance is kept, at least 1
 * @since 1.0
 */
public record ExportLimits(
    long requests,
    long bytes,
    long reads,
    long bytesRead,
    long writes,
    long bytesWritten,
    int burstSeconds) {
  /** Everything may go through. */
  public static final ExportLimits NONE = new ExportLimits(0, 0, 0, 0, 0, 0, 1);

  /** Checks the bounds. */
  public ExportLimits {
    check("requests", requests);
    check("bytes", bytes);
    check("reads", reads);
    check("bytesRead", bytesRead);
    check("writes", writes);
    check("bytesWritten", bytesWritten);
    if (burstSeconds < 1) {
      throw new IllegalArgumentException("burstSeconds: must be at least 1: " + burstSeconds);
    }
  }

  private static void check(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(
          name + ": must be at least 0, which means no limit: " + value);
    }
  }

  /** Returns whether anything is limited. */
  public boolean isAny() {
    return requests > 0
        || bytes > 0
        || reads > 0
        || bytesRead > 0
        || writes > 0
        || bytesWritten > 0;
  }
}
