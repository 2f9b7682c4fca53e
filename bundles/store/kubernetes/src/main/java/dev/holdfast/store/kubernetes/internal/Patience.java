package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Limits the total time for which one request waits for a server that responds 429. Such a request
 * was not carried out, so it may be repeated. Not thread-safe.
 */
final class Patience {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration SHORTEST = Duration.ofMillis(200);

  private Duration left = LIMIT;

  /**
   * Waits for the duration of the Retry-After header.
   *
   * @param server address of the busy server
   * @param retryAfter value of the header in seconds; a short default when empty or unreadable
   * @throws StorageException BUSY when the duration exceeds the remaining time; TIMEOUT when
   *     interrupted
   */
  void await(String server, Optional<String> retryAfter) throws StorageException {
    Duration wait = retryAfter.map(Patience::seconds).orElse(SHORTEST);
    if (wait.compareTo(left) > 0) {
      throw new StorageException(
          ErrorCode.BUSY, "the API server " + server + " is busy and requests a later retry");
    }
    left = left.minus(wait);
    try {
      TimeUnit.NANOSECONDS.sleep(wait.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, "interrupted while " + server + " was busy", e);
    }
  }

  private static Duration seconds(String header) {
    try {
      Duration wait = Duration.ofSeconds(Long.parseLong(header.strip()));
      return wait.compareTo(SHORTEST) < 0 ? SHORTEST : wait;
    } catch (NumberFormatException e) {
      return SHORTEST;
    }
  }
}
