package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * A SCSI command. RFC 7143, 11.3.
 *
 * @param immediate whether it is executed outside of the command order
 * @param isFinal whether no unsolicited data follows in other PDUs
 * @param read whether data is expected from the target
 * @param write whether data is expected from the initiator
 * @param attribute queue attribute
 * @param lun the logical unit in SAM notation
 * @param tag the initiator's identifier of the task
 * @param expected bytes that the initiator expects to be transferred
 * @param cmdSn its number among the session's commands
 * @param expStatSn the next status number that the initiator expects
 * @param cdb the command descriptor block, 16 bytes; not null
 */
public record ScsiCommand(
    boolean immediate,
    boolean isFinal,
    boolean read,
    boolean write,
    int attribute,
    long lun,
    int tag,
    long expected,
    int cmdSn,
    int expStatSn,
    ByteBuffer cdb)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x01;

  private static final int SIMPLE = 1;
  private static final int CDB = 32;
  private static final int CDB_LENGTH = 16;

  /** Reads the header that begins at index 0. */
  public static ScsiCommand parse(ByteBuffer in) {
    byte[] cdb = new byte[CDB_LENGTH];
    in.get(CDB, cdb);
    return new ScsiCommand(
        Bhs.flag(in, 0, 0x40),
        Bhs.flag(in, 1, 0x80),
        Bhs.flag(in, 1, 0x40),
        Bhs.flag(in, 1, 0x20),
        Bhs.bits(in, 1, 0, 0x7),
        in.getLong(8),
        in.getInt(16),
        in.getInt(20) & 0xffffffffL,
        in.getInt(24),
        in.getInt(28),
        ByteBuffer.wrap(cdb));
  }

  /** Returns whether the device may execute it before or after other commands in flight. */
  public boolean simple() {
    return attribute == SIMPLE;
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, 0);
    Bhs.flag(out, 0, 0x40, immediate);
    Bhs.flag(out, 1, 0x80, isFinal);
    Bhs.flag(out, 1, 0x40, read);
    Bhs.flag(out, 1, 0x20, write);
    Bhs.bits(out, 1, 0, 0x7, attribute);
    out.putLong(8, lun);
    out.putInt(16, tag);
    out.putInt(20, (int) expected);
    out.putInt(24, cmdSn);
    out.putInt(28, expStatSn);
    out.put(CDB, cdb, 0, CDB_LENGTH);
  }
}
