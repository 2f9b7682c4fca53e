package dev.holdfast.frontend.iscsi.internal.pdu;

/**
 * Which parts of PDUs have a CRC32C behind them.
 *
 * @param header the headers
 * @param data the data
 */
public record Digests(boolean header, boolean data) {
  /** Neither. */
  public static final Digests NONE = new Digests(false, false);

  static final int LENGTH = Integer.BYTES;

  /** Returns where the data begins in a PDU without additional headers. */
  public int dataAt() {
    return Bhs.LENGTH + (header ? LENGTH : 0);
  }

  /** Returns how many bytes a PDU without additional headers has, with this much data. */
  public int total(int dataLength) {
    int end = dataAt() + padded(dataLength);
    return data && dataLength > 0 ? end + LENGTH : end;
  }

  static int padded(int length) {
    return (length + 3) & ~3;
  }
}
