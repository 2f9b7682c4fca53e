package dev.holdfast.posix;

import com.kenai.jffi.MemoryIO;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Reads from the page cache. It first checks whether all pages are cached (cachestat, Linux 6.5). A
 * read that must not wait (RWF_NOWAIT) starts a read-ahead, for which the file system may have to
 * read its own data from the disk. The read follows, because a page may be cached without being
 * filled, or may be evicted after the first call.
 *
 * <pre>
 *   native memory of a call: queried range (offset, length) | result | iovec (address, length)
 * </pre>
 */
final class CachedRead {
  enum Outcome {
    READ,
    NOT_CACHED,
    UNSUPPORTED
  }

  private static final long CACHESTAT = 451;
  private static final int RWF_NOWAIT = 8;
  private static final int EAGAIN = 11;
  private static final int EINTR = 4;
  private static final int WORD = 8;
  private static final int ANSWER = 2 * WORD;
  private static final int VECTOR = ANSWER + 5 * WORD;
  private static final int SIZE = VECTOR + 2 * WORD;
  private static final int SPARES = 16;

  private static final MemoryIO MEMORY = MemoryIO.getInstance();
  private static final int PAGE = Native.LIBC.getpagesize();
  // Unused native memory. A call takes a piece and returns it, so that reads do not allocate
  // memory.
  private static final AtomicLongArray UNUSED = new AtomicLongArray(SPARES);

  private CachedRead() {}

  static Outcome into(ByteBuffer target, int descriptor, long position) {
    int spare = (int) Thread.currentThread().getId() & (SPARES - 1);
    long memory = UNUSED.getAndSet(spare, 0);
    if (memory == 0) {
      memory = MEMORY.allocateMemory(SIZE, true);
    }
    try {
      Outcome outcome = cached(memory, descriptor, position, target.remaining());
      return outcome == Outcome.READ ? read(memory, target, descriptor, position) : outcome;
    } finally {
      Reference.reachabilityFence(target);
      if (!UNUSED.compareAndSet(spare, 0, memory)) {
        MEMORY.freeMemory(memory);
      }
    }
  }

  private static Outcome cached(long memory, int descriptor, long position, int length) {
    MEMORY.putLong(memory, position);
    MEMORY.putLong(memory + WORD, length);
    if (Native.LIBC.syscall(CACHESTAT, descriptor, memory, memory + ANSWER, 0) != 0) {
      return Outcome.UNSUPPORTED;
    }
    long pages = (position + length + PAGE - 1) / PAGE - position / PAGE;
    return MEMORY.getLong(memory + ANSWER) == pages ? Outcome.READ : Outcome.NOT_CACHED;
  }

  private static Outcome read(long memory, ByteBuffer target, int descriptor, long position) {
    int length = target.remaining();
    long vector = memory + VECTOR;
    MEMORY.putLong(vector, MEMORY.getDirectBufferAddress(target) + target.position());
    MEMORY.putLong(vector + WORD, length);
    long count = Native.LIBC.preadv2(descriptor, vector, 1, position, RWF_NOWAIT);
    int error = count < 0 ? Native.RUNTIME.getLastError() : 0;
    if (count == length) {
      target.position(target.limit());
      return Outcome.READ;
    }
    return error == 0 || error == EAGAIN || error == EINTR
        ? Outcome.NOT_CACHED
        : Outcome.UNSUPPORTED;
  }
}
