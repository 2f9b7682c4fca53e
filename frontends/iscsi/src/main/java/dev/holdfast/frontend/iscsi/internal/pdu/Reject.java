package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * Rejects a PDU, whose header follows. RFC 7143, 11.17.
 *
 * @param reason reason code
 * @param statSn the status number
 * @param expCmdSn the next command number that the target expects
 * @param maxCmdSn the highest command number that the target permits
 */
public record Reject(int reason, int statSn, int expCmdSn, int maxCmdSn) implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x3f;

  /** Reads the header that begins at index 0. */
  public static Reject parse(ByteBuffer in) {
    return new Reject(in.get(2) & 0xff, in.getInt(24), in.getInt(28), in.getInt(32));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, Bhs.FINAL);
    out.putInt(16, -1);
    out.put(2, (byte) reason);
    out.putInt(24, statSn);
    out.putInt(28, expCmdSn);
    out.putInt(32, maxCmdSn);
  }
}
