package dev.holdfast.block;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Buffers of completed writes that the operating system still uses, because a disk hung and the
 * device continued without it. When the disk resumes, it writes the content that the memory has at
 * that time. A device therefore holds such a buffer before it completes the request. A component
 * that reuses buffers calls {@link #overlaps} first and discards a held buffer. Thread-safe. While
 * no buffer is held, a call costs one read of a field.
 *
 * @since 1.2
 */
public final class UnreturnedMemory {
  // A buffer reveals only the low bits of its address, so a range may coincide with a held range.
  private static final int ADDRESSES = 1 << 30;

  /** A part of memory that is held until this object is closed. */
  public static final class Hold implements AutoCloseable {
    // The array of a heap buffer; null for direct memory.
    private final byte[] array;
    private final long start;
    private final int length;

    private Hold(ByteBuffer buffer, int position, int length) {
      this.array = arrayOf(buffer);
      this.start = startOf(buffer) + position;
      this.length = length;
    }

    private boolean overlaps(ByteBuffer buffer) {
      if (arrayOf(buffer) != array || (array == null && !buffer.isDirect())) {
        return false;
      }
      long from = startOf(buffer);
      return isIn(from, start, length) || isIn(start, from, buffer.capacity());
    }

    private boolean isIn(long address, long from, long bytes) {
      long distance =
          array == null ? Math.floorMod(address - from, (long) ADDRESSES) : address - from;
      return distance >= 0 && distance < bytes;
    }

    /** Releases the memory to the caller. Idempotent. */
    @Override
    public void close() {
      release(this);
    }
  }

  private static volatile List<Hold> held = List.of();

  private UnreturnedMemory() {}

  /**
   * Holds a part of a buffer.
   *
   * @param buffer not null; the caller keeps it reachable while it is held
   * @param position index of the first byte in the buffer
   * @param length of the part, in bytes
   * @return releases the part when closed, never null
   */
  public static Hold hold(ByteBuffer buffer, int position, int length) {
    Hold hold = new Hold(Objects.requireNonNull(buffer, "buffer"), position, length);
    keep(hold);
    return hold;
  }

  private static synchronized void keep(Hold hold) {
    List<Hold> more = new ArrayList<>(held);
    more.add(hold);
    held = List.copyOf(more);
  }

  private static synchronized void release(Hold hold) {
    List<Hold> left = new ArrayList<>(held);
    left.remove(hold);
    held = List.copyOf(left);
  }

  /**
   * Returns whether any part of a buffer's memory is held. May return true for memory that is not
   * held. If the result is true, the caller must not reuse the buffer.
   *
   * @param buffer not null
   */
  public static boolean overlaps(ByteBuffer buffer) {
    List<Hold> now = held;
    if (now.isEmpty()) {
      return false;
    }
    for (Hold hold : now) {
      if (hold.overlaps(buffer)) {
        return true;
      }
    }
    return false;
  }

  @SuppressWarnings("ByteBufferBackingArray") // Only the identity of the array counts.
  private static byte[] arrayOf(ByteBuffer buffer) {
    return buffer.hasArray() ? buffer.array() : null;
  }

  private static long startOf(ByteBuffer buffer) {
    if (buffer.hasArray()) {
      return buffer.arrayOffset();
    }
    return buffer.isDirect() ? buffer.alignmentOffset(0, ADDRESSES) : 0;
  }
}
