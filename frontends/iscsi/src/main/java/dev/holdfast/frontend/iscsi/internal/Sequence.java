package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import dev.holdfast.frontend.iscsi.internal.pdu.Seal;
import java.nio.ByteBuffer;

/**
 * The numbers of commands and of statuses of a session (RFC 7143, 4.2.2). Whatever leaves gets them
 * here, so that they rise in the order in which it leaves. Thread-safe.
 */
final class Sequence {
  /** Commands that an initiator may have under way. */
  static final int WINDOW = 128;

  private static final int STAT_SN = 24;
  private static final int EXP_CMD_SN = 28;
  private static final int MAX_CMD_SN = 32;

  private final Digests digests;
  private int statSn;
  private int expCmdSn;
  private int active;

  Sequence(Digests digests, int statSn, int expCmdSn) {
    this.digests = digests;
    this.statSn = statSn;
    this.expCmdSn = expCmdSn;
  }

  synchronized int statSn() {
    return statSn;
  }

  synchronized int expCmdSn() {
    return expCmdSn;
  }

  /** Takes a command if it is its turn. One connection keeps the order, so nothing is kept. */
  synchronized boolean take(boolean immediate, int cmdSn) {
    if (immediate) {
      return true;
    }
    boolean next = cmdSn == expCmdSn && active < WINDOW;
    if (next) {
      expCmdSn++;
    }
    return next;
  }

  /** Returns whether a command of this number was taken already. */
  synchronized boolean passed(int cmdSn) {
    return cmdSn - expCmdSn < 0;
  }

  /** A command takes a place in the window. */
  synchronized void begin() {
    active++;
  }

  /** It leaves its place without an answer. */
  synchronized void end() {
    active--;
  }

  /** Sends what has no status: no number is used up. */
  synchronized void send(Reply reply, int data, boolean numbered) {
    stamp(reply.buffer(), numbered ? statSn : 0, data);
    reply.send();
  }

  /** Sends an answer. */
  synchronized void sendStatus(Reply reply, int data, boolean endsCommand) {
    if (endsCommand) {
      active--;
    }
    stamp(reply.buffer(), statSn++, data);
    reply.send();
  }

  private void stamp(ByteBuffer out, int number, int data) {
    out.putInt(STAT_SN, number);
    out.putInt(EXP_CMD_SN, expCmdSn);
    out.putInt(MAX_CMD_SN, expCmdSn + WINDOW - 1 - active);
    Seal.data(out, digests, data);
    Seal.header(out, digests);
  }
}
