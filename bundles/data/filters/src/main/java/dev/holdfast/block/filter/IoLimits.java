package dev.holdfast.block.filter;

/**
 * Limits of a {@link ThrottledDevice}; 0 means no limit. Trims and writes of zeroes count as writes
 * without bytes.
 *
 * @param requests requests per second of both directions
 * @param bytes bytes per second of both directions
 * @param reads read requests per second
 * @param bytesRead bytes read per second
 * @param writes write requests per second
 * @param bytesWritten bytes written per second
 * @param burstSeconds seconds for which unused allowance is kept, at least 1
 */
public record IoLimits(
    long requests,
    long bytes,
    long reads,
    long bytesRead,
    long writes,
    long bytesWritten,
    int burstSeconds) {
  /** No limits. */
  public static final IoLimits NONE = new IoLimits(0, 0, 0, 0, 0, 0, 1);

  /** Checks the bounds. */
  public IoLimits {
    if (requests < 0 || bytes < 0 || reads < 0 || bytesRead < 0 || writes < 0 || bytesWritten < 0) {
      throw new IllegalArgumentException("a limit must not be negative");
    }
    if (burstSeconds < 1) {
      throw new IllegalArgumentException("burstSeconds: must be at least 1: " + burstSeconds);
    }
  }

  /** Returns whether any limit is set. */
  public boolean isAny() {
    return requests + reads + writes > 0 || bytes > 0 || bytesRead > 0 || bytesWritten > 0;
  }
}
