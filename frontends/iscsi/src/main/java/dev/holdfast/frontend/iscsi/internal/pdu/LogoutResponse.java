package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * Responds to a logout. RFC 7143, 11.15.
 *
 * @param response result code of the logout
 * @param tag the initiator's identifier of the task
 * @param statSn the status number
 * @param expCmdSn the next command number that the target expects
 * @param maxCmdSn the highest command number that the target permits
 * @param timeToWait seconds before the initiator should log in again
 * @param timeToRetain seconds that tasks are kept
 */
public record LogoutResponse(
    int response, int tag, int statSn, int expCmdSn, int maxCmdSn, int timeToWait, int timeToRetain)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x26;

  /** Reads the header that begins at index 0. */
  public static LogoutResponse parse(ByteBuffer in) {
    return new LogoutResponse(
        in.get(2) & 0xff,
        in.getInt(16),
        in.getInt(24),
        in.getInt(28),
        in.getInt(32),
        in.getShort(40) & 0xffff,
        in.getShort(42) & 0xffff);
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, Bhs.FINAL);
    out.put(2, (byte) response);
    out.putInt(16, tag);
    out.putInt(24, statSn);
    out.putInt(28, expCmdSn);
    out.putInt(32, maxCmdSn);
    out.putShort(40, (short) timeToWait);
    out.putShort(42, (short) timeToRetain);
  }
}
