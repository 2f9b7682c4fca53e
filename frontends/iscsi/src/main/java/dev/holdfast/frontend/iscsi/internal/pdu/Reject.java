package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * The target does not take a PDU, whose header follows. RFC 7143, 11.17.
 *
 * @param reason why
 * @param statSn the status number
 * @param expCmdSn the command number that the target waits for
 * @param maxCmdSn the highest command number that it takes
 */
public record Reject(int reason, int statSn, int expCmdSn, int maxCmdSn) implements Pdu {
  /** Its opcode. */
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
