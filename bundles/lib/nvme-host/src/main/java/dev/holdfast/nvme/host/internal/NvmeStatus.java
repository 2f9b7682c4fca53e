package dev.holdfast.nvme.host.internal;

import dev.holdfast.error.ErrorCode;

/** Status of a completed command: its type in bits 8 to 10, its code in bits 0 to 7. */
final class NvmeStatus {
  static final int SUCCESS = 0;

  private static final int PATH_RELATED = 3;

  private NvmeStatus() {}

  /** Returns the error code of a status other than success. */
  static ErrorCode code(int status) {
    return switch (status) {
      case 0x02, 0x0b, 0x80 -> ErrorCode.INVALID;
      case 0x01, 0x20 -> ErrorCode.UNSUPPORTED;
      case 0x81 -> ErrorCode.NO_SPACE;
      case 0x82 -> ErrorCode.BUSY;
      case 0x21 -> ErrorCode.TIMEOUT;
      case 0x286 -> ErrorCode.FORBIDDEN;
      default -> status >> 8 == PATH_RELATED ? ErrorCode.UNREACHABLE : ErrorCode.IO;
    };
  }

  /** As {@link #code}, of a Connect: 182h is a parameter, 184h a host that is not admitted. */
  static ErrorCode ofConnect(int status) {
    return switch (status) {
      case 0x182 -> ErrorCode.NOT_FOUND;
      case 0x184 -> ErrorCode.FORBIDDEN;
      case 0x181, 0x183 -> ErrorCode.BUSY;
      default -> code(status);
    };
  }
}
