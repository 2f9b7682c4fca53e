package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.nbd.Wire;

/** Maps a replica's error number to a code; the inverse of the mapping in its NBD server. */
final class DataErrors {
  private DataErrors() {}

  static ErrorCode of(int number) {
    return switch (number) {
      case Wire.EPERM -> ErrorCode.FORBIDDEN;
      case Wire.ENOSPC -> ErrorCode.NO_SPACE;
      case Wire.EINVAL, Wire.EOVERFLOW -> ErrorCode.INVALID;
      case Wire.ENOTSUP -> ErrorCode.UNSUPPORTED;
      // EIO, and the numbers of servers of other vendors.
      default -> ErrorCode.IO;
    };
  }
}
