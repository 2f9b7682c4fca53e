package dev.holdfast.nvme.host.answer;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/** Reports a command that the target completed with a status other than success. */
public final class NvmeStatusException extends StorageException {
  private static final long serialVersionUID = 1L;

  /** Status "asymmetric access inaccessible": another path may serve the command. */
  public static final int INACCESSIBLE = 0x302;

  private final int status;

  /**
   * Creates an exception.
   *
   * @param code the kind of failure, not null
   * @param message names the subsystem, the command and the status, not null
   * @param status type in bits 8 to 10, code in bits 0 to 7 (NVMe Base 2.0, 3.3.3.2.1)
   */
  public NvmeStatusException(ErrorCode code, String message, int status) {
    super(code, message);
    this.status = status;
  }

  /** Returns the status: its type in bits 8 to 10, its code in bits 0 to 7. */
  public int status() {
    return status;
  }
}
