package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * How a command ended; sense data may follow. RFC 7143, 11.4.
 *
 * @param overflow whether more was to be transferred than the initiator expected
 * @param underflow whether less was
 * @param response 0 when the target has done the command
 * @param status SCSI status
 * @param tag the initiator's name of the task
 * @param statSn the status number
 * @param expCmdSn the command number that the target waits for
 * @param maxCmdSn the highest command number that it takes
 * @param expDataSn how many Data-In and R2T PDUs the command had
 * @param residual the bytes more or less
 */
public record ScsiResponse(
    boolean overflow,
    boolean underflow,
    int response,
    int status,
    int tag,
    int statSn,
    int expCmdSn,
    int maxCmdSn,
    int expDataSn,
    int residual)
    implements Pdu {
  /** Its opcode. */
  public static final int OPCODE = 0x21;

  /** Reads the header that begins at index 0. */
  public static ScsiResponse parse(ByteBuffer in) {
    return new ScsiResponse(
        Bhs.flag(in, 1, 0x4),
        Bhs.flag(in, 1, 0x2),
        in.get(2) & 0xff,
        in.get(3) & 0xff,
        in.getInt(16),
        in.getInt(24),
        in.getInt(28),
        in.getInt(32),
        in.getInt(36),
        in.getInt(44));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, Bhs.FINAL);
    Bhs.flag(out, 1, 0x4, overflow);
    Bhs.flag(out, 1, 0x2, underflow);
    out.put(2, (byte) response);
    out.put(3, (byte) status);
    out.putInt(16, tag);
    out.putInt(24, statSn);
    out.putInt(28, expCmdSn);
    out.putInt(32, maxCmdSn);
    out.putInt(36, expDataSn);
    out.putInt(44, residual);
  }
}
