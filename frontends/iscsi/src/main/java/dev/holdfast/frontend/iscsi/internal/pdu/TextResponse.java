package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * Keys and values, from the target. RFC 7143, 11.11.
 *
 * @param isFinal whether it is the last of its sequence
 * @param more whether the text continues in the next PDU
 * @param lun the logical unit in SAM notation
 * @param tag the initiator's identifier of the task
 * @param targetTag the target's identifier of the transfer, -1 for none
 * @param statSn the status number
 * @param expCmdSn the next command number that the target expects
 * @param maxCmdSn the highest command number that the target permits
 */
public record TextResponse(
    boolean isFinal,
    boolean more,
    long lun,
    int tag,
    int targetTag,
    int statSn,
    int expCmdSn,
    int maxCmdSn)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x24;

  /** Reads the header that begins at index 0. */
  public static TextResponse parse(ByteBuffer in) {
    return new TextResponse(
        Bhs.flag(in, 1, 0x80),
        Bhs.flag(in, 1, 0x40),
        in.getLong(8),
        in.getInt(16),
        in.getInt(20),
        in.getInt(24),
        in.getInt(28),
        in.getInt(32));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, 0);
    Bhs.flag(out, 1, 0x80, isFinal);
    Bhs.flag(out, 1, 0x40, more);
    out.putLong(8, lun);
    out.putInt(16, tag);
    out.putInt(20, targetTag);
    out.putInt(24, statSn);
    out.putInt(28, expCmdSn);
    out.putInt(32, maxCmdSn);
  }
}
