package dev.holdfast.engine.spdk.simulator.internal.tcp;

/** A command that ends with a status other than success. */
final class StatusException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;

  StatusException(int status) {
    super("NVMe status 0x" + Integer.toHexString(status));
    this.status = status;
  }

  int status() {
    return status;
  }
}
