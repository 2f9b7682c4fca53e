package dev.holdfast.frontend.nvmeof.internal;

/** Answer of a command of the admin queue: the completion's result, and data for the host. */
final class AdminResult {
  private static final byte[] NOTHING = new byte[0];

  static final AdminResult DONE = new AdminResult(0, NOTHING);

  private final long result;
  private final byte[] data;

  private AdminResult(long result, byte[] data) {
    this.result = result;
    this.data = data;
  }

  static AdminResult of(long result) {
    return new AdminResult(result, NOTHING);
  }

  static AdminResult of(byte[] data) {
    return new AdminResult(0, data);
  }

  long result() {
    return result;
  }

  byte[] data() {
    return data;
  }
}
