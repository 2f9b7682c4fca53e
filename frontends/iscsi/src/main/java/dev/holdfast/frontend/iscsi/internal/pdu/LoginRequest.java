package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * A login step from the initiator. RFC 7143, 11.12.
 *
 * @param transit whether the stage ends with it
 * @param more whether the text continues in the next PDU
 * @param stage the current stage, CSG
 * @param next the next stage, NSG
 * @param versionMax highest version
 * @param versionMin lowest version
 * @param isid the initiator's part of the session's name, 48 bits
 * @param tsih the target's part of the session's name, 0 for a new one
 * @param tag the initiator's identifier of the task
 * @param cid the connection in the session
 * @param cmdSn its number among the session's commands
 * @param expStatSn the next status number that the initiator expects
 */
public record LoginRequest(
    boolean transit,
    boolean more,
    int stage,
    int next,
    int versionMax,
    int versionMin,
    long isid,
    int tsih,
    int tag,
    int cid,
    int cmdSn,
    int expStatSn)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x03;

  /** Reads the header that begins at index 0. */
  public static LoginRequest parse(ByteBuffer in) {
    return new LoginRequest(
        Bhs.flag(in, 1, 0x80),
        Bhs.flag(in, 1, 0x40),
        Bhs.bits(in, 1, 2, 0x3),
        Bhs.bits(in, 1, 0, 0x3),
        in.get(2) & 0xff,
        in.get(3) & 0xff,
        in.getLong(8) >>> 16,
        in.getShort(14) & 0xffff,
        in.getInt(16),
        in.getShort(20) & 0xffff,
        in.getInt(24),
        in.getInt(28));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE | Bhs.IMMEDIATE, 0);
    Bhs.flag(out, 1, 0x80, transit);
    Bhs.flag(out, 1, 0x40, more);
    Bhs.bits(out, 1, 2, 0x3, stage);
    Bhs.bits(out, 1, 0, 0x3, next);
    out.put(2, (byte) versionMax);
    out.put(3, (byte) versionMin);
    out.putLong(8, isid << 16 | (out.getLong(8) & 0xffff));
    out.putShort(14, (short) tsih);
    out.putInt(16, tag);
    out.putShort(20, (short) cid);
    out.putInt(24, cmdSn);
    out.putInt(28, expStatSn);
  }
}
