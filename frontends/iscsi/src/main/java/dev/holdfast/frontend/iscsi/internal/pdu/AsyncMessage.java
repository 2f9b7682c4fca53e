package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * Reports an event; sense data may follow. RFC 7143, 11.9.
 *
 * @param lun the logical unit in SAM notation
 * @param statSn the status number
 * @param expCmdSn the next command number that the target expects
 * @param maxCmdSn the highest command number that the target permits
 * @param event code of the event
 * @param vendorCode code of a vendor-specific event
 * @param first a parameter
 * @param second a parameter
 * @param third a parameter
 */
public record AsyncMessage(
    long lun,
    int statSn,
    int expCmdSn,
    int maxCmdSn,
    int event,
    int vendorCode,
    int first,
    int second,
    int third)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x32;

  /** Reads the header that begins at index 0. */
  public static AsyncMessage parse(ByteBuffer in) {
    return new AsyncMessage(
        in.getLong(8),
        in.getInt(24),
        in.getInt(28),
        in.getInt(32),
        in.get(36) & 0xff,
        in.get(37) & 0xff,
        in.getShort(38) & 0xffff,
        in.getShort(40) & 0xffff,
        in.getShort(42) & 0xffff);
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, Bhs.FINAL);
    out.putInt(16, -1);
    out.putLong(8, lun);
    out.putInt(24, statSn);
    out.putInt(28, expCmdSn);
    out.putInt(32, maxCmdSn);
    out.put(36, (byte) event);
    out.put(37, (byte) vendorCode);
    out.putShort(38, (short) first);
    out.putShort(40, (short) second);
    out.putShort(42, (short) third);
  }
}
