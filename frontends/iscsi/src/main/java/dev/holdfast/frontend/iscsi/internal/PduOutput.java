package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import dev.holdfast.frontend.iscsi.internal.pdu.Pdu;
import java.nio.ByteBuffer;

/** Takes replies and fills them with PDUs. Used by the connection's thread. */
final class PduOutput {
  /** Room for a header, digests, and sense data. */
  static final int SMALL = 512;

  private final FrontendConnection connection;
  private final Digests digests;
  private final StatusNumbers sequence;

  PduOutput(FrontendConnection connection, Digests digests, StatusNumbers sequence) {
    this.connection = connection;
    this.digests = digests;
    this.sequence = sequence;
  }

  Digests digests() {
    return digests;
  }

  StatusNumbers sequence() {
    return sequence;
  }

  /** Takes a reply with room for this many data bytes. */
  Reply reply(int data) {
    return connection.reply(Math.max(SMALL, digests.total(data)));
  }

  /** Sends a response with a status number. */
  void status(Pdu pdu, byte[] data) {
    Reply reply = reply(data.length);
    write(reply.buffer(), pdu, data, 0, data.length);
    sequence.sendStatus(reply, data.length, false);
  }

  /** Sends a PDU that does not respond to a command. */
  void other(Pdu pdu) {
    Reply reply = reply(0);
    pdu.write(reply.buffer());
    sequence.send(reply, 0, true);
  }

  /** Writes a PDU without its numbers. */
  void write(ByteBuffer out, Pdu pdu, byte[] data, int from, int length) {
    pdu.write(out);
    out.put(digests.dataAt(), data, from, length);
  }
}
