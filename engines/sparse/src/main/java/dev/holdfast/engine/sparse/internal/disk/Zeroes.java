package dev.holdfast.engine.sparse.internal.disk;

import java.nio.ByteBuffer;

/** Fills buffers with zeroes and checks buffers for other content. */
public final class Zeroes {
  private Zeroes() {}

  /** Fills the remaining bytes of the buffer with zeroes. */
  public static void fill(ByteBuffer target) {
    while (target.remaining() >= Long.BYTES) {
      target.putLong(0);
    }
    while (target.hasRemaining()) {
      target.put((byte) 0);
    }
  }

  /** Returns whether all remaining bytes of the buffer are zero; does not change its position. */
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
