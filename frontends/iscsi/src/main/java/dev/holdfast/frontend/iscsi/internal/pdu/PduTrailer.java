package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Completes a PDU in a buffer that contains the header at index 0 and the data in its place. */
public final class PduTrailer {
  private PduTrailer() {}

  /**
   * Pads the data, and writes its length and digest. Afterwards the position is the PDU's end.
   * Called before {@link #header}.
   */
  public static void data(ByteBuffer out, Digests digests, int length) {
    Bhs.setDataLength(out, length);
    int at = digests.dataAt();
    int end = at + Digests.padded(length);
    out.clear();
    for (int i = at + length; i < end; i++) {
      out.put(i, (byte) 0);
    }
    if (digests.data() && length > 0) {
      out.putInt(end, crc(out, at, end - at));
      end += Digests.LENGTH;
    }
    out.position(end);
  }

  /** Writes the digest of the header, which is now complete. */
  public static void header(ByteBuffer out, Digests digests) {
    if (digests.header()) {
      out.putInt(Bhs.LENGTH, crc(out, 0, Bhs.LENGTH));
    }
  }

  private static int crc(ByteBuffer out, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(out.slice(from, length));
    return Integer.reverseBytes((int) crc.getValue());
  }
}
