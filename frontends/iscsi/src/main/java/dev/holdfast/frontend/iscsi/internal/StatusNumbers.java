package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import dev.holdfast.frontend.iscsi.internal.pdu.PduTrailer;
import java.nio.ByteBuffer;

/**
 * Status numbers of a connection, beside the command numbers of its session (RFC 7143, 4.2.2). Each
 * outgoing PDU gets its number here, so that the numbers ascend in the order of sending.
 * Thread-safe.
 */
final class StatusNumbers {
  private static final int STAT_SN = 24;
  private static final int EXP_CMD_SN = 28;
  private static final int MAX_CMD_SN = 32;

  private final Digests digests;
  private final CommandNumbers commands;
  private int statSn;

  StatusNumbers(Digests digests, int statSn, CommandNumbers commands) {
    this.digests = digests;
    this.statSn = statSn;
    this.commands = commands;
  }

  synchronized int statSn() {
    return statSn;
  }

  CommandNumbers commands() {
    return commands;
  }

  /** Takes a PDU other than a SCSI command if it is its turn. */
  boolean take(boolean immediate, int cmdSn) {
    return immediate || commands.take(cmdSn, false);
  }

  /** Sends a PDU without a status, which uses no number. */
  synchronized void send(Reply reply, int data, boolean numbered) {
    stamp(reply.buffer(), numbered ? statSn : 0, data);
    reply.send();
  }

  /** Sends a PDU with a status. */
  synchronized void sendStatus(Reply reply, int data, boolean endsCommand) {
    if (endsCommand) {
      commands.end();
    }
    stamp(reply.buffer(), statSn++, data);
    reply.send();
  }

  private void stamp(ByteBuffer out, int number, int data) {
    out.putInt(STAT_SN, number);
    out.putInt(EXP_CMD_SN, commands.expCmdSn());
    out.putInt(MAX_CMD_SN, commands.maxCmdSn());
    PduTrailer.data(out, digests, data);
    PduTrailer.header(out, digests);
  }
}
