package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.nbd.Wire;

/** Maps each error code to NBD's error number. */
final class NbdErrors {
  private NbdErrors() {}

  static int of(ErrorCode code) {
    return switch (code) {
      case NO_SPACE -> Wire.ENOSPC;
      case INVALID -> Wire.EINVAL;
      case UNSUPPORTED -> Wire.ENOTSUP;
      case FORBIDDEN -> Wire.EPERM;
      case NOT_FOUND, ALREADY_EXISTS, CONFLICT, BUSY, UNREACHABLE, TIMEOUT, EXPIRED, IO, INTERNAL ->
          Wire.EIO;
    };
  }
}
