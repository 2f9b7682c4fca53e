package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * Keys and values, from the initiator. RFC 7143, 11.10.
 *
 * @param immediate whether it is executed outside of the command order
 * @param isFinal whether it is the last of its sequence
 * @param more whether the text continues in the next PDU
 * @param lun the logical unit in SAM notation
 * @param tag the initiator's identifier of the task
 * @param targetTag the target's identifier of the transfer, -1 for none
 * @param cmdSn its number among the session's commands
 * @param expStatSn the next status number that the initiator expects
 */
public record TextRequest(
    boolean immediate,
    boolean isFinal,
    boolean more,
    long lun,
    int tag,
    int targetTag,
    int cmdSn,
    int expStatSn)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x04;

  /** Reads the header that begins at index 0. */
  public static TextRequest parse(ByteBuffer in) {
    return new TextRequest(
        Bhs.flag(in, 0, 0x40),
        Bhs.flag(in, 1, 0x80),
        Bhs.flag(in, 1, 0x40),
        in.getLong(8),
        in.getInt(16),
        in.getInt(20),
        in.getInt(24),
        in.getInt(28));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, 0);
    Bhs.flag(out, 0, 0x40, immediate);
    Bhs.flag(out, 1, 0x80, isFinal);
    Bhs.flag(out, 1, 0x40, more);
    out.putLong(8, lun);
    out.putInt(16, tag);
    out.putInt(20, targetTag);
    out.putInt(24, cmdSn);
    out.putInt(28, expStatSn);
  }
}
