package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * End of a task management function. RFC 7143, 11.6.
 *
 * @param response response code
 * @param tag the initiator's identifier of the task
 * @param statSn the status number
 * @param expCmdSn the next command number that the target expects
 * @param maxCmdSn the highest command number that the target permits
 */
public record TaskResponse(int response, int tag, int statSn, int expCmdSn, int maxCmdSn)
    implements Pdu {
  /** Opcode of this PDU. */
  public static final int OPCODE = 0x22;

  /** Reads the header that begins at index 0. */
  public static TaskResponse parse(ByteBuffer in) {
    return new TaskResponse(
        in.get(2) & 0xff, in.getInt(16), in.getInt(24), in.getInt(28), in.getInt(32));
  }

  @Override
  public void write(ByteBuffer out) {
    Bhs.begin(out, OPCODE, Bhs.FINAL);
    out.put(2, (byte) response);
    out.putInt(16, tag);
    out.putInt(24, statSn);
    out.putInt(28, expCmdSn);
    out.putInt(32, maxCmdSn);
  }
}
