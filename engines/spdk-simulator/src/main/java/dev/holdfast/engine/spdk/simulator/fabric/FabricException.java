package dev.holdfast.engine.spdk.simulator.fabric;

import java.io.IOException;

/** A command that the target completed with an NVMe status other than success. */
public final class FabricException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Path-related status "asymmetric access inaccessible": type 3, code 2. */
  public static final int INACCESSIBLE = 0x302;

  private final int status;

  /**
   * Creates an exception.
   *
   * @param status type in bits 8 to 10, code in bits 0 to 7
   */
  public FabricException(int status) {
    super("NVMe status 0x" + Integer.toHexString(status));
    this.status = status;
  }

  /** Returns the type in bits 8 to 10 and the code in bits 0 to 7. */
  public int status() {
    return status;
  }
}
