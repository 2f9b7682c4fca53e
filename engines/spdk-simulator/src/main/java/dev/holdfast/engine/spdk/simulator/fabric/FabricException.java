package dev.holdfast.engine.spdk.simulator.fabric;

import java.io.IOException;

/** A command that the target completed with an NVMe status other than success. */
public final class FabricException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Path-related status "asymmetric access inaccessible": type 3, code 2. */
  public static final int INACCESSIBLE = 0x302;

  /** Status of Connect: a parameter, such as the name of the subsystem, is wrong. */
  public static final int INVALID_PARAMETER = 0x182;

  /** Status of Connect: the host is not admitted. */
  public static final int INVALID_HOST = 0x184;

  /** Status of Connect: the host must authenticate itself. */
  public static final int AUTHENTICATION_REQUIRED = 0x191;

  /** Status of a target that failed. */
  public static final int INTERNAL_ERROR = 0x06;

  private final int status;

  /**
   * Creates an exception.
   *
   * @param status type in bits 8 to 10, code in bits 0 to 7
   * @param message names the subsystem and the reason, not null
   */
  public FabricException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** Returns the type in bits 8 to 10 and the code in bits 0 to 7. */
  public int status() {
    return status;
  }
}
