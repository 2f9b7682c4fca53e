package dev.holdfast.portal;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Direct buffers in a few sizes, with a limit on their sum. Thread-safe.
 *
 * <p>Each size has a little room above a power of two, so that a reply of a usual block and its
 * header fit together.
 */
final class BufferPool {
  private static final int[] SIZES = {
    512,
    (4 << 10) + 512,
    (16 << 10) + 512,
    (64 << 10) + 512,
    (256 << 10) + 512,
    (1 << 20) + 4096,
    (4 << 20) + 4096,
    (32 << 20) + 4096
  };
  private static final long SHELF_BYTES = 16L << 20;

  private final long limit;
  private final long waitNanos;
  private final List<ArrayDeque<ByteBuffer>> shelves = new ArrayList<>();
  private long used;

  BufferPool(long limit, long waitNanos) {
    this.limit = limit;
    this.waitNanos = waitNanos;
    for (int i = 0; i < SIZES.length; i++) {
      shelves.add(new ArrayDeque<>());
    }
  }

  static int classes() {
    return SIZES.length;
  }

  static int sizeOf(int index) {
    return SIZES[index];
  }

  static int classOf(int bytes) {
    for (int i = 0; i < SIZES.length; i++) {
      if (bytes <= SIZES[i]) {
        return i;
      }
    }
    throw new IllegalArgumentException("no buffer holds " + bytes + " bytes");
  }

  /**
   * Takes a buffer of at least {@code bytes}, cleared; waits when the limit is reached.
   *
   * @throws IllegalStateException when none became free in time
   */
  ByteBuffer acquire(int bytes) {
    int index = classOf(bytes);
    synchronized (this) {
      awaitRoom(SIZES[index]);
      used += SIZES[index];
      ByteBuffer shelved = shelves.get(index).pollFirst();
      if (shelved != null) {
        return shelved;
      }
    }
    try {
      return ByteBuffer.allocateDirect(SIZES[index]);
    } catch (OutOfMemoryError e) {
      returned(SIZES[index]);
      throw new IllegalStateException("no direct memory for a buffer of " + bytes + " bytes", e);
    }
  }

  void release(ByteBuffer buffer) {
    int index = classOf(buffer.capacity());
    buffer.clear();
    synchronized (this) {
      ArrayDeque<ByteBuffer> shelf = shelves.get(index);
      if ((shelf.size() + 1L) * SIZES[index] <= SHELF_BYTES || shelf.isEmpty()) {
        shelf.addFirst(buffer);
      }
      returned(SIZES[index]);
    }
  }

  /** Returns the bytes that are out at the moment. */
  synchronized long used() {
    return used;
  }

  private synchronized void returned(int bytes) {
    used -= bytes;
    notifyAll();
  }

  private void awaitRoom(int bytes) {
    if (used + bytes <= limit) {
      return;
    }
    long deadline = System.nanoTime() + waitNanos;
    while (used + bytes > limit) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new IllegalStateException(
            "clients use all " + limit + " bytes of buffers; a connection was refused more");
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for a buffer", e);
      }
    }
  }
}
