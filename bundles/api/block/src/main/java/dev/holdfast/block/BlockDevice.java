package dev.holdfast.block;

import java.nio.ByteBuffer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An asynchronous random-access device of a fixed number of bytes.
 *
 * <p><b>Completion.</b> Every request takes a {@link Completion} that is called exactly once,
 * either before the method returns (the usual case for a local device, without a change of threads)
 * or later on an I/O thread. Request methods never throw for a failed request; they report it to
 * the completion.
 *
 * <p><b>Buffers.</b> The device owns a buffer from the call until the completion; the caller owns
 * it before and after. The device transfers exactly {@code remaining()} bytes between position and
 * limit, and leaves the position at the limit when it succeeds; after a failure the position and
 * the content of a read buffer are undefined. Buffers should be direct.
 *
 * <p><b>Alignment.</b> Offsets and lengths are bytes and need not be multiples of {@link
 * #blockSize()}; an unaligned request may cost a read-modify-write. A request outside {@code [0,
 * size)} fails with {@link dev.holdfast.error.ErrorCode#INVALID} and has no effect. A length of
 * zero succeeds.
 *
 * <p><b>Order and durability.</b> Concurrent requests are unordered. A request issued after the
 * completion of another request sees the effect of that request. A completed write survives the
 * death of this process but is durable against loss of power only when {@link IoFlags#FUA} was
 * given or a {@link #flush} issued after its completion has completed.
 *
 * <p><b>Threads.</b> All methods may be called from any thread at any time. Reads and writes in the
 * steady state do not allocate memory.
 */
@ConsumerType
public interface BlockDevice extends AutoCloseable {

  /** Returns the size in bytes; the size changes only by expansion and never decreases. */
  long size();

  /** Returns the preferred block size in bytes (a power of two, at least 512): 4096 by default. */
  int blockSize();

  /**
   * Reads {@code target.remaining()} bytes at {@code offset}.
   *
   * @param offset first byte, at least 0
   * @param target receives the bytes, not null
   * @param completion receives the outcome, not null
   */
  void read(long offset, ByteBuffer target, Completion completion);

  /**
   * Writes {@code source.remaining()} bytes at {@code offset}.
   *
   * @param offset first byte, at least 0
   * @param source holds the bytes, not null; its content is not changed
   * @param flags {@link IoFlags#NONE} or {@link IoFlags#FUA}
   * @param completion receives the outcome, not null
   */
  void write(long offset, ByteBuffer source, int flags, Completion completion);

  /**
   * Makes every write, trim and zeroing that completed before this call durable against loss of
   * power.
   *
   * @param completion receives the outcome, not null; a failed flush means that data may be lost
   */
  void flush(Completion completion);

  /**
   * Declares that the content of a range is no longer needed. Afterwards the range reads as zeroes,
   * except for edges smaller than a block, which may keep their content.
   *
   * @param offset first byte, at least 0
   * @param length in bytes, at least 0
   * @param flags {@link IoFlags#NONE} or {@link IoFlags#FUA}
   * @param completion receives the outcome, not null
   */
  void trim(long offset, long length, int flags, Completion completion);

  /**
   * Zeroes a range exactly, including its edges.
   *
   * @param offset first byte, at least 0
   * @param length in bytes, at least 0
   * @param flags {@link IoFlags#FUA} and {@link IoFlags#NO_HOLE} may be set
   * @param completion receives the outcome, not null
   */
  void writeZeroes(long offset, long length, int flags, Completion completion);

  /**
   * Reports the allocation of the range in ascending order without gaps. Adjacent extents of one
   * kind may be reported separately. A device without allocation data reports one data extent.
   *
   * @param offset first byte, at least 0
   * @param length in bytes, at least 0
   * @param visitor called before the completion, not null; may stop early
   * @param completion receives the outcome, not null
   */
  void extents(long offset, long length, ExtentVisitor visitor, Completion completion);

  /**
   * Releases the resources of the device without a flush. Idempotent. Requests issued afterwards
   * fail with {@link dev.holdfast.error.ErrorCode#IO}; those in flight complete, with or without
   * success, before this returns.
   */
  @Override
  void close();
}
