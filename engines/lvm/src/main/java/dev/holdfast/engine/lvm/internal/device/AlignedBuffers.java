package dev.holdfast.engine.lvm.internal.device;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Buffers at aligned addresses for requests whose own buffer is not. Thread-safe. */
public final class AlignedBuffers {
  /** Size of a buffer in bytes. */
  public static final int SIZE = 1 << 20;

  private static final int KEPT = 16;

  private final BlockingQueue<ByteBuffer> unused = new ArrayBlockingQueue<>(KEPT);
  private final ByteBuffer zeroes = allocate();

  private static ByteBuffer allocate() {
    return ByteBuffer.allocateDirect(SIZE + RawDevice.ALIGNMENT).alignedSlice(RawDevice.ALIGNMENT);
  }

  /** Returns whether the remaining bytes of a buffer are at an aligned address. */
  static boolean isAligned(ByteBuffer buffer) {
    return buffer.isDirect() && buffer.alignmentOffset(buffer.position(), RawDevice.ALIGNMENT) == 0;
  }

  /** Takes a buffer with room for some bytes, at most {@link #SIZE}; its content is undefined. */
  public ByteBuffer take(int length) {
    ByteBuffer buffer = unused.poll();
    return (buffer == null ? allocate() : buffer).clear().limit(length);
  }

  /** Returns a buffer that {@link #take} gave. */
  public void giveBack(ByteBuffer buffer) {
    boolean unusedResult = unused.offer(buffer);
  }

  /** Returns zeroes, at most {@link #SIZE} of them. */
  public ByteBuffer zeroes(int length) {
    return zeroes.duplicate().clear().limit(length);
  }
}
