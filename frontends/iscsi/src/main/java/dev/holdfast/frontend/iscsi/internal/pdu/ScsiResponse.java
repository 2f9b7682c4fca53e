package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * End of a command; sense data may follow. RFC 7143, 11.4.
 *
 * @param overflow whether more than expected was to be transferred
 * @param underflow whether less than expected was transferred
 * @param response 0 when the target has executed the command
 * @param status SCSI status
 * @param tag the initiator's identifier of the task
 * @param statSn the status number
 * @param expCmdSn the next command number that the target expects
 * @param maxCmdSn the highest command number that the target permits
 * @param expDataSn number of Data-In and R2T PDUs of the command
 * @param residual bytes of overflow or underflow
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
  /** Opcode of this PDU. */
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
