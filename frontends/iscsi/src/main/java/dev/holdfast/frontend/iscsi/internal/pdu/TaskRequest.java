package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * A task management function. RFC 7143, 11.5.
 *
 * @param immediate whether it is executed outside of the command order
 * @param function code of the function
 * @param lun the logical unit in SAM notation
 * @param tag the initiator's identifier of the task
 * @param referencedTag the task that the function concerns
 * @param cmdSn its number among the session's commands
 * @param expStatSn the next status number that the initiator expects
 * @param refCmdSn the command number of that task
 * @param expDataSn for a task that is reassigned
 */
public record TaskRequest(
    boolean immediate,
    int function,
    long lun,
    int tag,
    int referencedTag,
    int cmdSn,
    int expStatSn,
    int refCmdSn,
    int expDataSn)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x02;

  /** Reads the header that begins at index 0. */
  public static TaskRequest parse(ByteBuffer in) {
    return new TaskRequest(
        Bhs.flag(in, 0, 0x40),
        Bhs.bits(in, 1, 0, 0x7f),
        in.getLong(8),
        in.getInt(16),
        in.getInt(20),
        in.getInt(24),
        in.getInt(28),
        in.getInt(32),
        in.getInt(36));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, Bhs.FINAL);
    Bhs.flag(out, 0, 0x40, immediate);
    Bhs.bits(out, 1, 0, 0x7f, function);
    out.putLong(8, lun);
    out.putInt(16, tag);
    out.putInt(20, referencedTag);
    out.putInt(24, cmdSn);
    out.putInt(28, expStatSn);
    out.putInt(32, refCmdSn);
    out.putInt(36, expDataSn);
  }
}
