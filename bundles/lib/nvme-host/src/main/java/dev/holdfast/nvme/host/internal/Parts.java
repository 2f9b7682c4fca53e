package dev.holdfast.nvme.host.internal;

import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Completes a request after its parts, with the first failure of one. Thread-safe. */
final class Parts implements Completion {
  private final AtomicInteger left;
  private final AtomicReference<StorageException> first = new AtomicReference<>();
  private final Completion whole;

  Parts(int count, Completion whole) {
    this.left = new AtomicInteger(count);
    this.whole = whole;
  }

  @Override
  public void completed(StorageException failure) {
    if (failure != null) {
      boolean unused = first.compareAndSet(null, failure);
    }
    if (left.decrementAndGet() == 0) {
      whole.completed(first.get());
    }
  }
}
