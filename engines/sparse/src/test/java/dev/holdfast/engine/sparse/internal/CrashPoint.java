package dev.holdfast.engine.sparse.internal;

import java.io.IOException;

/** Lets a number of disk accesses happen, then none. */
final class CrashPoint {
  private long left = Long.MAX_VALUE;

  void after(long accesses) {
    left = accesses;
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
  }
}
