package dev.holdfast.frontend.nvmeof.internal.wire;

/**
 * The data descriptor of a command over TCP.
 *
 * @param address offset in the capsule, for data in it
 * @param length in bytes
 * @param identifier type and subtype
 */
public record Sgl(long address, long length, int identifier) {
  /** Data block by offset: the data are in the command's capsule. */
  public static final int IN_CAPSULE = 0x01;

  /** Transport data block: separate PDUs transfer the data. */
  public static final int TRANSPORT = 0x5a;

  /** Returns whether it is one of the two types that TCP supports. */
  public boolean known() {
    return identifier == IN_CAPSULE || identifier == TRANSPORT;
  }
}
