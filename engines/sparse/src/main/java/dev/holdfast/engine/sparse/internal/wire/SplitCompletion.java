package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.error.StorageException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Completes a request once all the requests that it was split into have completed. */
final class SplitCompletion implements MemberCompletion {
  private final long length;
  private final MemberCompletion done;
  private final AtomicInteger left;
  private final AtomicReference<StorageException> failed = new AtomicReference<>();

  /**
   * Prepares the completion.
   *
   * @param length length of the whole request in bytes
   * @param part length of each part in bytes, except the last
   */
  SplitCompletion(long length, int part, MemberCompletion done) {
    this.length = length;
    this.done = done;
    this.left = new AtomicInteger((int) ((length + part - 1) / part));
  }

  @Override
  public void completed(StorageException failure, long bytes) {
    if (failure != null) {
      failed.compareAndSet(null, failure);
    }
    if (left.decrementAndGet() == 0) {
      done.completed(failed.get(), failed.get() == null ? length : 0);
    }
  }
}
