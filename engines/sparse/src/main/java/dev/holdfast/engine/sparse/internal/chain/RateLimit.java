package dev.holdfast.engine.sparse.internal.chain;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/** Limits background work to a number of bytes per second. */
final class RateLimit implements LongConsumer {
  private final long bytesPerSecond;

  /** Sets the limit in bytes per second; 0 for none. */
  RateLimit(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Waits as long as these bytes may take. */
  @Override
  public void accept(long bytes) {
    if (bytesPerSecond > 0) {
      long nanos = TimeUnit.SECONDS.toNanos(1) / 1000 * bytes / (bytesPerSecond / 1000 + 1);
      LockSupport.parkNanos(nanos);
    }
  }
}
