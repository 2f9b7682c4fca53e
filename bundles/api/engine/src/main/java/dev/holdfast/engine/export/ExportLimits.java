package dev.holdfast.engine.export;

/**
 * Limits of an export; 0 means no limit. Trims and zeroings count as writes; whether their length
 * counts as bytes depends on the engine.
 *
 * @param requests reads and writes per second
 * @param bytes bytes read and written per second
 * @param reads reads per second
 * @param bytesRead bytes read per second
 * @param writes writes per second
 * @param bytesWritten bytes written per second
 * @param burstSeconds time for which unused allowance is kept, at least 1 s
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
  /** Without limits. */
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

  /** Returns whether at least one limit is set. */
  public boolean isAny() {
    return requests > 0
        || bytes > 0
        || reads > 0
        || bytesRead > 0
        || writes > 0
        || bytesWritten > 0;
  }
}
