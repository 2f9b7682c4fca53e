package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * Data for a write. RFC 7143, 11.7.
 *
 * @param isFinal whether it is the last of its sequence
 * @param lun the logical unit in SAM notation
 * @param tag the initiator's identifier of the task
 * @param targetTag the target's identifier of the transfer, -1 for none
 * @param expStatSn the next status number that the initiator expects
 * @param dataSn its number in the sequence
 * @param offset offset of its first byte in the command's data
 */
public record DataOut(
    boolean isFinal, long lun, int tag, int targetTag, int expStatSn, int dataSn, long offset)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x05;

  /** Reads the header that begins at index 0. */
  public static DataOut parse(ByteBuffer in) {
    return new DataOut(
        Bhs.flag(in, 1, 0x80),
        in.getLong(8),
        in.getInt(16),
        in.getInt(20),
        in.getInt(28),
        in.getInt(36),
        in.getInt(40) & 0xffffffffL);
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, 0);
    Bhs.flag(out, 1, 0x80, isFinal);
    out.putLong(8, lun);
    out.putInt(16, tag);
    out.putInt(20, targetTag);
    out.putInt(28, expStatSn);
    out.putInt(36, dataSn);
    out.putInt(40, (int) offset);
  }
}
