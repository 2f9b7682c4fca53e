package dev.holdfast.block;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Buffers of writes that were answered while the operating system still uses them: a disk hung, and
 * the device continued without it. When the disk resumes, it writes the bytes that the memory holds
 * at that time. Therefore a device holds such a buffer before it completes the request. A component
 * that reuses buffers calls {@link #overlaps} first and drops a buffer that is held. Thread-safe.
 * While no buffer is held, a call costs one read of a field.
 *
 * @since 1.2
 */
public final class UnreturnedMemory {
  // A buffer reveals only the low bits of its address, so a range may match a held one by chance.
  private static final int ADDRESSES = 1 << 30;

  /** A part of memory that is held until this is closed. */
  public static final class Hold implements AutoCloseable {
    // The array of a buffer on the heap, null for direct memory.
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

    /** The memory is the caller's again. Idempotent. */
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
   * @param buffer not null; kept in memory by the caller as long as it is held
   * @param position the first byte of the part, an index of the buffer
   * @param length of the part, in bytes
   * @return lets it go when closed, never null
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
   * Returns whether a part of a buffer's whole memory is held. May return true for memory that is
   * not held; the caller must not use the buffer again in either case.
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

  @SuppressWarnings("ByteBufferBackingArray") // Which array it is, not what is in it.
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
