package dev.holdfast.engine.sparse.internal.members;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Buffers for reads of local replicas on threads that a disk may block: at most 8 MiB for all
 * volumes. A thread keeps its buffer until its read has returned, also after a time-out.
 */
final class ReadPieces {
  private static final int BYTES = 128 << 10;
  private static final int MOST = 64;

  /**
   * On the heap, because the JDK caches direct memory of the same size for each thread that reads
   * into a heap buffer.
   */
  private static final int SMALL = 16 << 10;

  private static final ConcurrentLinkedQueue<ByteBuffer> KEPT = new ConcurrentLinkedQueue<>();
  private static final AtomicInteger MADE = new AtomicInteger();

  private ReadPieces() {}

  /** Returns a buffer, smaller when many are in use. */
  static ByteBuffer take() {
    ByteBuffer kept = KEPT.poll();
    if (kept != null) {
      return kept;
    }
    if (MADE.incrementAndGet() <= MOST) {
      try {
        return ByteBuffer.allocateDirect(BYTES);
      } catch (OutOfMemoryError e) {
        // A small heap buffer works too, only more slowly.
      }
    }
    MADE.decrementAndGet();
    return ByteBuffer.allocate(SMALL);
  }

  static void give(ByteBuffer piece) {
    if (piece.isDirect()) {
      KEPT.add(piece);
    }
  }
}
