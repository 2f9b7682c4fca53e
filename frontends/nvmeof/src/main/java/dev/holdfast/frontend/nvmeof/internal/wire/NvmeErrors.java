package dev.holdfast.frontend.nvmeof.internal.wire;

import dev.holdfast.error.ErrorCode;

/** Maps each error code of a device to NVMe's status. */
public final class NvmeErrors {
  private NvmeErrors() {}

  public static int error(ErrorCode code) {
    return switch (code) {
      case NO_SPACE -> Status.CAPACITY_EXCEEDED;
      case INVALID -> Status.INVALID_FIELD;
      case UNSUPPORTED -> Status.INVALID_OPCODE;
      case FORBIDDEN -> Status.ACCESS_DENIED;
      case BUSY -> Status.NAMESPACE_NOT_READY;
      case TIMEOUT -> Status.INTERRUPTED;
      // A host with another path uses it; a host without one retries.
      case UNREACHABLE -> Status.INTERNAL_PATH_ERROR;
      case NOT_FOUND, ALREADY_EXISTS, CONFLICT, EXPIRED, IO, INTERNAL -> Status.INTERNAL_ERROR;
    };
  }
}
