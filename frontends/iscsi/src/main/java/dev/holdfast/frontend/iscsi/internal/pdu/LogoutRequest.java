package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * Requests a logout. RFC 7143, 11.14.
 *
 * @param immediate whether it is executed outside of the command order
 * @param reason scope of the logout
 * @param tag the initiator's identifier of the task
 * @param cid the connection
 * @param cmdSn its number among the session's commands
 * @param expStatSn the next status number that the initiator expects
 */
public record LogoutRequest(
    boolean immediate, int reason, int tag, int cid, int cmdSn, int expStatSn) implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x06;

  /** Reads the header that begins at index 0. */
  public static LogoutRequest parse(ByteBuffer in) {
    return new LogoutRequest(
        Bhs.flag(in, 0, 0x40),
        Bhs.bits(in, 1, 0, 0x7f),
        in.getInt(16),
        in.getShort(20) & 0xffff,
        in.getInt(24),
        in.getInt(28));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, Bhs.FINAL);
    Bhs.flag(out, 0, 0x40, immediate);
    Bhs.bits(out, 1, 0, 0x7f, reason);
    out.putInt(16, tag);
    out.putShort(20, (short) cid);
    out.putInt(24, cmdSn);
    out.putInt(28, expStatSn);
  }
}
