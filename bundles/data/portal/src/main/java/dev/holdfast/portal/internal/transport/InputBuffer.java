package dev.holdfast.portal.internal.transport;

import dev.holdfast.block.UnreturnedMemory;
import dev.holdfast.frontend.InputLease;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Input of a client. The connection has one reference, and each device request that still reads
 * from it has another; the last release returns it to the pool.
 */
public final class InputBuffer implements InputLease {
  private final BufferPool pool;
  private final ByteBuffer buffer;
  private final AtomicInteger holders = new AtomicInteger(1);

  /**
   * Takes a buffer of the preferred size in bytes, or of at least {@code least} bytes while memory
   * is short.
   */
  public InputBuffer(BufferPool pool, int least, int preferred) {
    this.pool = pool;
    this.buffer = pool.acquireInput(least, preferred);
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns whether a request or a hanging disk still reads it. */
  public boolean leased() {
    return holders.get() > 1 || UnreturnedMemory.overlaps(buffer);
  }

  public void retain() {
    holders.incrementAndGet();
  }

  @Override
  public void release() {
    if (holders.decrementAndGet() == 0) {
      pool.release(buffer);
    }
  }
}
