package dev.holdfast.frontend.nvmeof.internal.wire;

/** Result of an admin command: the completion's result, and data for the host. */
public final class AdminResult {
  private static final byte[] NOTHING = new byte[0];

  public static final AdminResult DONE = new AdminResult(0, NOTHING);

  private final long result;
  private final byte[] data;

  private AdminResult(long result, byte[] data) {
    this.result = result;
    this.data = data;
  }

  public static AdminResult of(long result) {
    return new AdminResult(result, NOTHING);
  }

  public static AdminResult of(byte[] data) {
    return new AdminResult(0, data);
  }

  public long result() {
    return result;
  }

  public byte[] data() {
    return data;
  }
}
