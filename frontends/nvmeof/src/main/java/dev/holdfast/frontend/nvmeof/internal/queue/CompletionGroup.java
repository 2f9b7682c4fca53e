package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Completes once when all of several requests have completed, with the first failure. */
final class CompletionGroup implements Completion {
  private final Completion whole;
  private final AtomicInteger remaining;
  private final AtomicReference<StorageException> failure = new AtomicReference<>();

  CompletionGroup(int count, Completion whole) {
    this.whole = whole;
    this.remaining = new AtomicInteger(count);
  }

  @Override
  public void completed(StorageException outcome) {
    if (outcome != null) {
      failure.compareAndSet(null, outcome);
    }
    if (remaining.decrementAndGet() == 0) {
      whole.completed(failure.get());
    }
  }
}
