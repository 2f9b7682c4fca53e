package dev.holdfast.engine.sparse.internal;

import java.io.IOException;

/** Lets a number of disk accesses happen, then none; or lets just one of them fail. */
class CrashPoint {
  private long left = Long.MAX_VALUE;
  private long untilFailure;

  void after(long accesses) {
    left = accesses;
  }

  /** One access fails; the ones after it do not. */
  void failOnceAfter(long accesses) {
    untilFailure = accesses;
  }

  /** Returns whether the failure is still to come. */
  boolean failureLeft() {
    return untilFailure > 0;
  }

  void never() {
    left = Long.MAX_VALUE;
  }

  boolean happened() {
    return left <= 0;
  }

  void access() throws IOException {
    if (left <= 0) {
      throw new IOException("the engine is dead");
    }
    left--;
    if (untilFailure > 0 && --untilFailure == 0) {
      throw new IOException("No space left on device");
    }
  }
}
