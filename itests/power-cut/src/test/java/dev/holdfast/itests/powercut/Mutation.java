package dev.holdfast.itests.powercut;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.block.IoFlags;
import java.nio.ByteBuffer;

/** Promises of durability that a device can break, to see that the test notices. */
enum Mutation {
  /** None: the engine as it is. */
  NONE,
  /** A flush is acknowledged and never reaches the engine. */
  FLUSH_IGNORED,
  /** Requests lose their FUA flag. */
  FUA_IGNORED;

  /** Returns the promises among which the broken one is not hidden by another. */
  Barriers exposed() {
    return switch (this) {
      case NONE -> Barriers.BOTH;
      case FLUSH_IGNORED -> Barriers.FLUSHES;
      case FUA_IGNORED -> Barriers.FUA;
    };
  }

  BlockDevice of(BlockDevice device) {
    return switch (this) {
      case NONE -> device;
      case FLUSH_IGNORED -> new WithoutFlush(device);
      case FUA_IGNORED -> new WithoutFua(device);
    };
  }

  private static final class WithoutFlush extends ForwardingBlockDevice {
    WithoutFlush(BlockDevice below) {
      super(below);
    }

    @Override
    public void flush(Completion completion) {
      completion.completed(null);
    }
  }

  private static final class WithoutFua extends ForwardingBlockDevice {
    WithoutFua(BlockDevice below) {
      super(below);
    }

    @Override
    public void write(long offset, ByteBuffer source, int flags, Completion completion) {
      super.write(offset, source, flags & ~IoFlags.FUA, completion);
    }

    @Override
    public void trim(long offset, long length, int flags, Completion completion) {
      super.trim(offset, length, flags & ~IoFlags.FUA, completion);
    }

    @Override
    public void writeZeroes(long offset, long length, int flags, Completion completion) {
      super.writeZeroes(offset, length, flags & ~IoFlags.FUA, completion);
    }
  }
}
