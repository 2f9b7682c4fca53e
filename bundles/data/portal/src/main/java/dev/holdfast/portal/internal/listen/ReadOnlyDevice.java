package dev.holdfast.portal.internal.listen;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** The device of a client that may only read. */
final class ReadOnlyDevice extends ForwardingBlockDevice {
  ReadOnlyDevice(BlockDevice below) {
    super(below);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    refuse(completion);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    refuse(completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    refuse(completion);
  }

  private static void refuse(Completion completion) {
    completion.completed(
        new StorageException(ErrorCode.FORBIDDEN, "the client may only read this export"));
  }
}
