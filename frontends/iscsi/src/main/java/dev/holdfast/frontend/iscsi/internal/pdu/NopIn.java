package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * A response to a ping, or a ping. RFC 7143, 11.19.
 *
 * @param lun the logical unit in SAM notation
 * @param tag the initiator's identifier of the task
 * @param targetTag the target's identifier of the transfer, -1 for none
 * @param statSn the status number
 * @param expCmdSn the next command number that the target expects
 * @param maxCmdSn the highest command number that the target permits
 */
public record NopIn(long lun, int tag, int targetTag, int statSn, int expCmdSn, int maxCmdSn)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x20;

  /** Reads the header that begins at index 0. */
  public static NopIn parse(ByteBuffer in) {
    return new NopIn(
        in.getLong(8), in.getInt(16), in.getInt(20), in.getInt(24), in.getInt(28), in.getInt(32));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, Bhs.FINAL);
    out.putLong(8, lun);
    out.putInt(16, tag);
    out.putInt(20, targetTag);
    out.putInt(24, statSn);
    out.putInt(28, expCmdSn);
    out.putInt(32, maxCmdSn);
  }
}
