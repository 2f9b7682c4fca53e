package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * Data of a read. RFC 7143, 11.7.
 *
 * @param isFinal whether it is the last of its sequence
 * @param overflow as in {@link ScsiResponse}
 * @param underflow as in {@link ScsiResponse}
 * @param hasStatus whether it also carries the response
 * @param status SCSI status
 * @param lun the logical unit in SAM notation
 * @param tag the initiator's identifier of the task
 * @param targetTag the target's identifier of the transfer, -1 for none
 * @param statSn the status number
 * @param expCmdSn the next command number that the target expects
 * @param maxCmdSn the highest command number that the target permits
 * @param dataSn its number in the command
 * @param offset offset of its first byte in the command's data
 * @param residual bytes of overflow or underflow
 */
public record DataIn(
    boolean isFinal,
    boolean overflow,
    boolean underflow,
    boolean hasStatus,
    int status,
    long lun,
    int tag,
    int targetTag,
    int statSn,
    int expCmdSn,
    int maxCmdSn,
    int dataSn,
    long offset,
    int residual)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x25;

  /** Reads the header that begins at index 0. */
  public static DataIn parse(ByteBuffer in) {
    return new DataIn(
        Bhs.flag(in, 1, 0x80),
        Bhs.flag(in, 1, 0x4),
        Bhs.flag(in, 1, 0x2),
        Bhs.flag(in, 1, 0x1),
        in.get(3) & 0xff,
        in.getLong(8),
        in.getInt(16),
        in.getInt(20),
        in.getInt(24),
        in.getInt(28),
        in.getInt(32),
        in.getInt(36),
        in.getInt(40) & 0xffffffffL,
        in.getInt(44));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, 0);
    Bhs.flag(out, 1, 0x80, isFinal);
    Bhs.flag(out, 1, 0x4, overflow);
    Bhs.flag(out, 1, 0x2, underflow);
    Bhs.flag(out, 1, 0x1, hasStatus);
    out.put(3, (byte) status);
    out.putLong(8, lun);
    out.putInt(16, tag);
    out.putInt(20, targetTag);
    out.putInt(24, statSn);
    out.putInt(28, expCmdSn);
    out.putInt(32, maxCmdSn);
    out.putInt(36, dataSn);
    out.putInt(40, (int) offset);
    out.putInt(44, residual);
  }
}
