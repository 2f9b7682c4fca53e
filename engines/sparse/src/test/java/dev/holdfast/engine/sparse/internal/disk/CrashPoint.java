package dev.holdfast.engine.sparse.internal.disk;

import java.io.IOException;

/** Permits a number of disk accesses, then none; or fails exactly one access. */
public class CrashPoint {
  private long left = Long.MAX_VALUE;
  private long untilFailure;

  public void after(long accesses) {
    left = accesses;
  }

  /** Fails one access after the given number; later ones succeed. */
  public void failOnceAfter(long accesses) {
    untilFailure = accesses;
  }

  /** Returns whether the failure has not happened yet. */
  public boolean failureLeft() {
    return untilFailure > 0;
  }

  public void never() {
    left = Long.MAX_VALUE;
  }

  public boolean happened() {
    return left <= 0;
  }

  public void access() throws IOException {
    if (left <= 0) {
      throw new IOException("the engine is dead");
    }
    left--;
    if (untilFailure > 0 && --untilFailure == 0) {
      throw new IOException("No space left on device");
    }
  }
}
