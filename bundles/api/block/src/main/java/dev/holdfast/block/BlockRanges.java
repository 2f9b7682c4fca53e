package dev.holdfast.block;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/** The range check that every device performs before a request takes effect. */
public final class BlockRanges {
  private BlockRanges() {}

  /**
   * Completes the request with {@link ErrorCode#INVALID} when the range is outside the device.
   *
   * @param offset first byte
   * @param length in bytes
   * @param size of the device in bytes
   * @param completion of the request, not null
   * @return whether the range is inside the device, so that the request may continue
   */
  public static boolean inside(long offset, long length, long size, Completion completion) {
    if (offset >= 0 && length >= 0 && offset <= size - length) {
      return true;
    }
    completion.completed(
        new StorageException(
            ErrorCode.INVALID,
            "range of "
                + length
                + " bytes at offset "
                + offset
                + " is outside the device of "
                + size
                + " bytes"));
    return false;
  }
}
