package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How long one request waits in all for a server that is busy, and says so with 429. Such a request
 * was not carried out, so it may be sent again. Not thread-safe.
 */
final class Patience {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration SHORTEST = Duration.ofMillis(200);

  private Duration left = LIMIT;

  /**
   * Waits as long as the server asks for.
   *
   * @param server that is busy
   * @param retryAfter its header: seconds; empty or something else for a short while
   * @throws StorageException BUSY when that is longer than this request still has; TIMEOUT when
   *     interrupted
   */
  void await(String server, Optional<String> retryAfter) throws StorageException {
    Duration wait = retryAfter.map(Patience::seconds).orElse(SHORTEST);
    if (wait.compareTo(left) > 0) {
      throw new StorageException(
          ErrorCode.BUSY, "the API server " + server + " is busy and asks to come back later");
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
