package dev.holdfast.frontend.iscsi.internal.pdu;

/**
 * Parts of PDUs that are followed by a CRC32C.
 *
 * @param header the headers
 * @param data the data
 */
public record Digests(boolean header, boolean data) {
  /** No digests. */
  public static final Digests NONE = new Digests(false, false);

  static final int LENGTH = Integer.BYTES;

  /** Returns the offset of the data in a PDU without additional headers. */
  public int dataAt() {
    return Bhs.LENGTH + (header ? LENGTH : 0);
  }

  /** Returns the size in bytes of a PDU without additional headers, with this many data bytes. */
  public int total(int dataLength) {
    int end = dataAt() + padded(dataLength);
    return data && dataLength > 0 ? end + LENGTH : end;
  }

  static int padded(int length) {
    return (length + 3) & ~3;
  }
}
