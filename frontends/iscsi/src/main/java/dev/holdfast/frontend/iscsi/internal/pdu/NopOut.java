package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * A ping, or a response to one. RFC 7143, 11.18.
 *
 * @param immediate whether it is executed outside of the command order
 * @param lun the logical unit in SAM notation
 * @param tag the initiator's identifier of the task
 * @param targetTag the target's identifier of the transfer, -1 for none
 * @param cmdSn its number among the session's commands
 * @param expStatSn the next status number that the initiator expects
 */
public record NopOut(boolean immediate, long lun, int tag, int targetTag, int cmdSn, int expStatSn)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x00;

  /** Reads the header that begins at index 0. */
  public static NopOut parse(ByteBuffer in) {
    return new NopOut(
        Bhs.flag(in, 0, 0x40),
        in.getLong(8),
        in.getInt(16),
        in.getInt(20),
        in.getInt(24),
        in.getInt(28));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, Bhs.FINAL);
    Bhs.flag(out, 0, 0x40, immediate);
    out.putLong(8, lun);
    out.putInt(16, tag);
    out.putInt(20, targetTag);
    out.putInt(24, cmdSn);
    out.putInt(28, expStatSn);
  }
}
