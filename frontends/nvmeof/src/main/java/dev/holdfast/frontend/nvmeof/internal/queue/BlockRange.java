package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.block.IoFlags;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;

/**
 * The blocks that an I/O command concerns.
 *
 * @param offset of the first byte
 * @param length in bytes
 * @param flags flags of {@link IoFlags}
 */
record BlockRange(long offset, long length, int flags) {
  private static final int FUA = 1 << 30;
  private static final int PROTECTION = 0xf << 26;

  /** Checks the range against a volume's present size. */
  static BlockRange of(Command command, long blocks) throws RefusedException {
    if ((command.cdw12() & PROTECTION) != 0) {
      throw new RefusedException(Status.INVALID_FIELD, "there is no protection information");
    }
    long count = (command.cdw12() & 0xffffL) + 1;
    int flags = (command.cdw12() & FUA) != 0 ? IoFlags.FUA : IoFlags.NONE;
    return of(command.cdw10And11(), count, blocks, flags);
  }

  static BlockRange of(long first, long count, long blocks, int flags) throws RefusedException {
    if (first < 0 || count > blocks || first > blocks - count) {
      throw new RefusedException(Status.LBA_OUT_OF_RANGE, "the range ends past the end");
    }
    return new BlockRange(first << Limits.BLOCK_SHIFT, count << Limits.BLOCK_SHIFT, flags);
  }

  /** Returns the length if one command may transfer it. */
  int transfer() throws RefusedException {
    if (length > Limits.TRANSFER) {
      throw new RefusedException(Status.INVALID_FIELD, length + " bytes are more than a transfer");
    }
    return (int) length;
  }
}
