package dev.holdfast.portal.internal.transport;

import dev.holdfast.block.UnreturnedMemory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Direct buffers in a few sizes, with a limit on their sum. Thread-safe.
 *
 * <p>Each size is slightly larger than a power of two, so that a reply with a usual block and its
 * header fit together.
 */
public final class BufferPool {
  private static final Logger LOG = LoggerFactory.getLogger(BufferPool.class);
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

  // Share of input: buffers that may stay unfilled must leave room for replies and other clients.
  private static final int LARGE = 512 << 10;
  private static final int GENEROUS = 2;
  private static final int LEFT_TO_OTHERS = 8;

  private final long limit;
  private final long waitNanos;
  private final List<ArrayDeque<ByteBuffer>> shelves = new ArrayList<>();
  // Smallest number of buffers on each shelf since the last trim.
  private final int[] unused = new int[SIZES.length];
  private long used;
  private long shelved;
  private volatile int waiting;

  public BufferPool(long limit, long waitNanos) {
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
   * @throws OutOfBuffersException when none became free in time
   */
  ByteBuffer acquire(int bytes) {
    return acquire(classOf(bytes), limit);
  }

  /**
   * Takes a buffer for a client's input: of {@code preferred} bytes while memory is plentiful, else
   * of {@code least}. Waits when input has reached its share.
   *
   * @throws OutOfBuffersException when none became free in time
   */
  ByteBuffer acquireInput(int least, int preferred) {
    if (classOf(preferred) > classOf(least)) {
      ByteBuffer larger = tryAcquire(classOf(preferred), limit / GENEROUS);
      if (larger != null) {
        return larger;
      }
    }
    return acquire(classOf(least), least < LARGE ? limit : limit - limit / LEFT_TO_OTHERS);
  }

  /** Takes a buffer of a size, cleared; null when the limit is reached. Never waits. */
  ByteBuffer tryAcquire(int index) {
    return tryAcquire(index, limit);
  }

  private ByteBuffer tryAcquire(int index, long most) {
    synchronized (this) {
      if (used + SIZES[index] > most) {
        return null;
      }
      ByteBuffer found = take(index);
      if (found != null) {
        return found;
      }
    }
    try {
      return ByteBuffer.allocateDirect(SIZES[index]);
    } catch (OutOfMemoryError e) {
      returned(SIZES[index]);
      return null;
    }
  }

  private ByteBuffer acquire(int index, long most) {
    synchronized (this) {
      awaitRoom(SIZES[index], most);
      ByteBuffer found = take(index);
      if (found != null) {
        return found;
      }
    }
    try {
      return ByteBuffer.allocateDirect(SIZES[index]);
    } catch (OutOfMemoryError e) {
      returned(SIZES[index]);
      throw new OutOfBuffersException(
          "no direct memory is left for a buffer of " + SIZES[index] + " bytes", e);
    }
  }

  // Counts a buffer. Returns one from the shelf if present; else makes room for a new one.
  private ByteBuffer take(int index) {
    used += SIZES[index];
    ArrayDeque<ByteBuffer> shelf = shelves.get(index);
    ByteBuffer found = shelf.pollFirst();
    if (found != null) {
      shelved -= SIZES[index];
      unused[index] = Math.min(unused[index], shelf.size());
      return found;
    }
    for (int i = SIZES.length - 1; i >= 0 && used + shelved > limit; i--) {
      while (used + shelved > limit && shelves.get(i).pollLast() != null) {
        shelved -= SIZES[i];
      }
    }
    return null;
  }

  void release(ByteBuffer buffer) {
    int index = classOf(buffer.capacity());
    buffer.clear();
    // A buffer that a hung disk still uses is released when the device has finished with it.
    boolean unreturned = UnreturnedMemory.overlaps(buffer);
    synchronized (this) {
      ArrayDeque<ByteBuffer> shelf = shelves.get(index);
      if (unreturned) {
        LOG.warn(
            "a buffer of {} bytes stays reserved for a disk that does not answer",
            buffer.capacity());
      } else if ((shelf.size() + 1L) * SIZES[index] <= SHELF_BYTES || shelf.isEmpty()) {
        shelf.addFirst(buffer);
        shelved += SIZES[index];
      }
      returned(SIZES[index]);
    }
  }

  /** Counts memory that a connection allocates itself; negative when it frees it. */
  public void charge(int bytes) {
    returned(-bytes);
  }

  /** Frees the buffers that were unused since the last call. */
  public synchronized void trim() {
    for (int i = 0; i < SIZES.length; i++) {
      ArrayDeque<ByteBuffer> shelf = shelves.get(i);
      for (int count = Math.min(unused[i], shelf.size()); count > 0; count--) {
        shelf.removeLast();
        shelved -= SIZES[i];
      }
      unused[i] = shelf.size();
    }
  }

  /** Returns the bytes that are in use at present. */
  public synchronized long used() {
    return used;
  }

  /** Returns whether a thread waits for a buffer; if so, callers should not keep buffers. */
  public boolean wanted() {
    return waiting > 0;
  }

  private synchronized void returned(int bytes) {
    used -= bytes;
    if (waiting > 0) {
      notifyAll();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // Written while the monitor is held.
  private void awaitRoom(int bytes, long most) {
    long deadline = System.nanoTime() + waitNanos;
    waiting++;
    try {
      while (used + bytes > most) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new OutOfBuffersException(
              "clients use " + used + " of " + limit + " bytes of buffers", null);
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a buffer", e);
    } finally {
      waiting--;
    }
  }
}
