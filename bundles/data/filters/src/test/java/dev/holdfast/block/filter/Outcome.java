package dev.holdfast.block.filter;

import dev.holdfast.block.Completion;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Records the end of a request, and fails when it ends twice. */
final class Outcome implements Completion {
  private final CompletableFuture<Optional<ErrorCode>> code = new CompletableFuture<>();

  @Override
  public void completed(StorageException failure) {
    if (!code.complete(Optional.ofNullable(failure).map(StorageException::code))) {
      throw new AssertionError("ended twice");
    }
  }

  boolean isDone() {
    return code.isDone();
  }

  Optional<ErrorCode> await() throws Exception {
    return code.get(30, TimeUnit.SECONDS);
  }
}
