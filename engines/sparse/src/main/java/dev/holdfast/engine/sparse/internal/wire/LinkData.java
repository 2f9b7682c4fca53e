package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;

/**
 * Reads and writes over a link. Requests are completed in any order, each once, on a thread of the
 * transport. A link that was lost or closed ignores requests; their completions are not called.
 */
public interface LinkData {
  /** Maximum bytes that one request zeroes. */
  int MOST_ZEROED = 1 << 30;

  /** Maximum bytes that one request reads or writes. */
  int MOST_CARRIED = Wire.MAXIMUM_PAYLOAD;

  /** As {@link Member#read}, up to {@link #MOST_CARRIED} bytes. */
  void read(long offset, ByteBuffer target, int position, int length, MemberCompletion done);

  /** As {@link Member#write}, up to {@link #MOST_CARRIED} bytes. */
  void write(long offset, ByteBuffer source, int position, int length, MemberCompletion done);

  /** As {@link Member#zero}, up to {@link #MOST_ZEROED} bytes. */
  void zero(long offset, int length, boolean allocated, MemberCompletion done);

  /** As {@link Member#read}, in as many requests as necessary. */
  default void readAll(
      long offset, ByteBuffer target, int position, int length, MemberCompletion done) {
    if (length <= MOST_CARRIED) {
      read(offset, target, position, length, done);
      return;
    }
    SplitCompletion each = new SplitCompletion(length, MOST_CARRIED, done);
    for (int at = 0; at < length; at += MOST_CARRIED) {
      read(offset + at, target, position + at, Math.min(MOST_CARRIED, length - at), each);
    }
  }

  /** As {@link Member#write}, in as many requests as necessary. */
  default void writeAll(
      long offset, ByteBuffer source, int position, int length, MemberCompletion done) {
    if (length <= MOST_CARRIED) {
      write(offset, source, position, length, done);
      return;
    }
    SplitCompletion each = new SplitCompletion(length, MOST_CARRIED, done);
    for (int at = 0; at < length; at += MOST_CARRIED) {
      write(offset + at, source, position + at, Math.min(MOST_CARRIED, length - at), each);
    }
  }

  /** As {@link Member#zero}, in as many requests as necessary. */
  default void zeroAll(long offset, long length, boolean allocated, MemberCompletion done) {
    if (length <= MOST_ZEROED) {
      zero(offset, (int) length, allocated, done);
      return;
    }
    SplitCompletion each = new SplitCompletion(length, MOST_ZEROED, done);
    for (long at = 0; at < length; at += MOST_ZEROED) {
      zero(offset + at, (int) Math.min(MOST_ZEROED, length - at), allocated, each);
    }
  }

  /** As {@link Member#sync}. */
  void sync(MemberCompletion done);

  /** As {@link Member#endOfBatch}. */
  void endOfBatch();

  /** Returns whether the link was lost or closed. */
  boolean dead();

  /**
   * Ends the session. After the return, the link completes no request and accesses no buffer.
   * Idempotent.
   */
  void close();
}
