package dev.holdfast.engine.sparse.internal.disk;

import java.nio.ByteBuffer;

/** Filling of buffers with zeroes, and the search for anything else in them. */
public final class Zeroes {
  private Zeroes() {}

  /** Fills what remains of the buffer. */
  public static void fill(ByteBuffer target) {
    while (target.remaining() >= Long.BYTES) {
      target.putLong(0);
    }
    while (target.hasRemaining()) {
      target.put((byte) 0);
    }
  }

  /** Returns whether what remains of the buffer is zero; leaves the position alone. */
  public static boolean only(ByteBuffer content) {
    int at = content.position();
    int end = content.limit();
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      if (content.getLong(at) != 0) {
        return false;
      }
    }
    for (; at < end; at++) {
      if (content.get(at) != 0) {
        return false;
      }
    }
    return true;
  }
}
