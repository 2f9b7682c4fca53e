package dev.holdfast.frontend.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Fails every request with the code that the test has set. */
public final class FailingBlockDevice extends ForwardingBlockDevice {
  private volatile Optional<ErrorCode> failure = Optional.empty();

  /**
   * Creates a filter that does not fail yet.
   *
   * @param below receives the requests, not null
   */
  public FailingBlockDevice(BlockDevice below) {
    super(below);
  }

  /**
   * Sets the failure of later requests.
   *
   * @param code code of the failure, empty for success, not null
   */
  public void fail(Optional<ErrorCode> code) {
    failure = code;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (healthy(completion)) {
      super.read(offset, target, completion);
    }
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    if (healthy(completion)) {
      super.write(offset, source, flags, completion);
    }
  }

  @Override
  public void flush(Completion completion) {
    if (healthy(completion)) {
      super.flush(completion);
    }
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (healthy(completion)) {
      super.writeZeroes(offset, length, flags, completion);
    }
  }

  private boolean healthy(Completion completion) {
    Optional<ErrorCode> code = failure;
    code.ifPresent(
        present ->
            completion.completed(new StorageException(present, "the test wants " + present)));
    return code.isEmpty();
  }
}
