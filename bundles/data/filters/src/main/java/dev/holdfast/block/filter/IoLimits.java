package dev.holdfast.block.filter;

/**
 * Limits of a {@link ThrottledDevice}; 0 means no limit. Writes, trims and zeroings are writes;
 * trims and zeroings have no bytes.
 *
 * @param requests of both directions a second
 * @param bytes of both directions a second
 * @param reads requests a second
 * @param bytesRead a second
 * @param writes requests a second
 * @param bytesWritten a second
 * @param burstSeconds how long unused allowance is kept, at least 1
 */
public record IoLimits(
    long requests,
    long bytes,
    long reads,
    long bytesRead,
    long writes,
    long bytesWritten,
    int burstSeconds) {
  /** Everything may go through. */
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

  /** Returns whether anything is limited. */
  public boolean isAny() {
    return requests + reads + writes > 0 || bytes > 0 || bytesRead > 0 || bytesWritten > 0;
  }
}
