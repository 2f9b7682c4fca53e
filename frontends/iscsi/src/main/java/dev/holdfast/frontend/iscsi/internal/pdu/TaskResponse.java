package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * How a task management function ended. RFC 7143, 11.6.
 *
 * @param response how
 * @param tag the initiator's name of the task
 * @param statSn the status number
 * @param expCmdSn the command number that the target waits for
 * @param maxCmdSn the highest command number that it takes
 */
public record TaskResponse(int response, int tag, int statSn, int expCmdSn, int maxCmdSn)
    implements Pdu {
  /** Its opcode. */
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
