package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.IoThread;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeErrors;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Compares, and writes if the content is equal. The caller excludes other writes until the end.
 *
 * @param device device of both operations
 * @param offset offset of both operations in bytes
 * @param expected expected content
 * @param written content to write
 * @param flags flags of the write
 */
record CompareAndWrite(
    BlockDevice device, long offset, ByteBuffer expected, ByteBuffer written, int flags) {
  /**
   * The statuses of both commands.
   *
   * @param comparison status of the first command
   * @param writing status of the second command
   */
  record Result(int comparison, int writing) {}

  /** Runs the operation and waits for it. */
  Result run() {
    ByteBuffer found = ByteBuffer.allocateDirect(expected.remaining());
    Optional<StorageException> failure = await(done -> device.read(offset, found, done));
    if (failure.isPresent()) {
      return new Result(NvmeErrors.error(failure.get().code()), Status.FAILED_FUSED);
    }
    if (!found.flip().equals(expected)) {
      return new Result(Status.COMPARE_FAILURE, Status.FAILED_FUSED);
    }
    int writing =
        await(done -> device.write(offset, written, flags, done))
            .map(wrong -> NvmeErrors.error(wrong.code()))
            .orElse(Status.SUCCESS);
    return new Result(Status.SUCCESS, writing);
  }

  private static Optional<StorageException> await(Consumer<Completion> request) {
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    request.accept(
        failure -> {
          boolean unused = outcome.complete(Optional.ofNullable(failure));
        });
    // The request may be among this thread's deferred I/O.
    IoThread.settle();
    return outcome.join();
  }
}
