package dev.holdfast.backuptarget.cifs.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Attempts at a change that another client prevents while it reads, with growing pauses. */
final class Attempts {
  private static final Duration LONGEST = Duration.ofSeconds(5);
  private static final long LONGEST_PAUSE = 100;

  private final long end;
  private long pause = 1;

  Attempts(Duration limit) {
    Duration most = limit.compareTo(LONGEST) < 0 ? limit : LONGEST;
    this.end = System.nanoTime() + most.toNanos();
  }

  /** Waits; returns false when the time is over, or when the thread was interrupted. */
  boolean another() {
    if (System.nanoTime() - end >= 0) {
      return false;
    }
    try {
      TimeUnit.MILLISECONDS.sleep(pause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    pause = Math.min(LONGEST_PAUSE, pause * 2);
    return true;
  }
}
