package dev.holdfast.engine.lvm.internal.forward;

import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Completes a request when all its pieces have ended, with the failure of one of them. */
final class PieceCount implements Completion {
  private final AtomicInteger left;
  private final AtomicReference<StorageException> failed = new AtomicReference<>();
  private final Completion whole;

  PieceCount(int pieces, Completion whole) {
    this.left = new AtomicInteger(pieces);
    this.whole = whole;
  }

  @Override
  public void completed(StorageException failure) {
    if (failure != null) {
      boolean unused = failed.compareAndSet(null, failure);
    }
    if (left.decrementAndGet() == 0) {
      whole.completed(failed.get());
    }
  }
}
