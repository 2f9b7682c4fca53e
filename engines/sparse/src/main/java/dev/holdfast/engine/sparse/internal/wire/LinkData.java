package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.engine.sparse.internal.link.ReplicaLink;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** How a link reads and writes; see {@link ReplicaLink} for what requests and closing promise. */
public interface LinkData {
  /** The most that one request zeroes. */
  int MOST_ZEROED = 1 << 30;

  /** As {@link Member#read}. */
  void read(long offset, ByteBuffer target, int position, int length, MemberCompletion done);

  /** As {@link Member#write}. */
  void write(long offset, ByteBuffer source, int position, int length, MemberCompletion done);

  /** As {@link Member#zero}, for what one request can carry. */
  void zero(long offset, int length, boolean allocated, MemberCompletion done);

  /** As {@link Member#zero}, in as many requests as that takes. */
  default void zeroAll(long offset, long length, boolean allocated, MemberCompletion done) {
    if (length <= MOST_ZEROED) {
      zero(offset, (int) length, allocated, done);
      return;
    }
    AtomicInteger left = new AtomicInteger((int) ((length + MOST_ZEROED - 1) / MOST_ZEROED));
    AtomicReference<StorageException> failed = new AtomicReference<>();
    MemberCompletion each =
        (failure, bytes) -> {
          if (failure != null) {
            failed.compareAndSet(null, failure);
          }
          if (left.decrementAndGet() == 0) {
            done.completed(failed.get(), failed.get() == null ? length : 0);
          }
        };
    for (long at = 0; at < length; at += MOST_ZEROED) {
      zero(offset + at, (int) Math.min(MOST_ZEROED, length - at), allocated, each);
    }
  }

  /** As {@link Member#sync}. */
  void sync(MemberCompletion done);

  /** As {@link Member#endOfBatch}. */
  void endOfBatch();

  /** Returns whether it was lost or closed. */
  boolean dead();

  /** As {@link ReplicaLink#close}. */
  void close();
}
