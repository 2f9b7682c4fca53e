package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * A login step from the target. RFC 7143, 11.13.
 *
 * @param transit whether the stage ends with it
 * @param more whether the text continues in the next PDU
 * @param stage the current stage, CSG
 * @param next the next stage, NSG
 * @param versionMax highest version
 * @param versionActive the version
 * @param isid the initiator's part of the session's name, 48 bits
 * @param tsih the target's part of the session's name
 * @param tag the initiator's identifier of the task
 * @param statSn the status number
 * @param expCmdSn the next command number that the target expects
 * @param maxCmdSn the highest command number that the target permits
 * @param status class and detail
 */
public record LoginResponse(
    boolean transit,
    boolean more,
    int stage,
    int next,
    int versionMax,
    int versionActive,
    long isid,
    int tsih,
    int tag,
    int statSn,
    int expCmdSn,
    int maxCmdSn,
    int status)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x23;

  /** Reads the header that begins at index 0. */
  public static LoginResponse parse(ByteBuffer in) {
    return new LoginResponse(
        Bhs.flag(in, 1, 0x80),
        Bhs.flag(in, 1, 0x40),
        Bhs.bits(in, 1, 2, 0x3),
        Bhs.bits(in, 1, 0, 0x3),
        in.get(2) & 0xff,
        in.get(3) & 0xff,
        in.getLong(8) >>> 16,
        in.getShort(14) & 0xffff,
        in.getInt(16),
        in.getInt(24),
        in.getInt(28),
        in.getInt(32),
        in.getShort(36) & 0xffff);
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, 0);
    Bhs.flag(out, 1, 0x80, transit);
    Bhs.flag(out, 1, 0x40, more);
    Bhs.bits(out, 1, 2, 0x3, stage);
    Bhs.bits(out, 1, 0, 0x3, next);
    out.put(2, (byte) versionMax);
    out.put(3, (byte) versionActive);
    out.putLong(8, isid << 16 | (out.getLong(8) & 0xffff));
    out.putShort(14, (short) tsih);
    out.putInt(16, tag);
    out.putInt(24, statSn);
    out.putInt(28, expCmdSn);
    out.putInt(32, maxCmdSn);
    out.putShort(36, (short) status);
  }
}
