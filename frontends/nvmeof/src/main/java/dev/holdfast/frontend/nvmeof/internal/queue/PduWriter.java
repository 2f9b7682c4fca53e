package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.nvmeof.internal.wire.CompletionEntry;
import dev.holdfast.frontend.nvmeof.internal.wire.DataHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.Digest;
import dev.holdfast.frontend.nvmeof.internal.wire.PduHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.PduType;
import dev.holdfast.frontend.nvmeof.internal.wire.TermRequest;
import java.nio.ByteBuffer;

/**
 * Writes the controller's PDUs of one connection, with the negotiated digests and alignment.
 *
 * @param connection connection to the host
 * @param framing negotiated digests
 * @param alignment alignment of data for the host: a multiple of four bytes, minus one
 */
public record PduWriter(FrontendConnection connection, Framing framing, int alignment) {
  private static final int RESPONSE = PduHeader.SIZE + CompletionEntry.SIZE;

  /** Size in bytes of one response with its digest. */
  public static final int RESPONSE_BYTES = RESPONSE + Digest.SIZE;

  /** Completes a command without data. Called by the connection's thread only. */
  public void respond(CompletionEntry entry) {
    send(connection.reply(RESPONSE_BYTES), entry);
  }

  /** Fills a reply with a response, and sends it. */
  public void send(Reply reply, CompletionEntry entry) {
    ByteBuffer buffer = reply.buffer().clear();
    buffer.position(putResponse(buffer, 0, entry));
    reply.send();
  }

  /** Completes a command with a page of data. Called by the connection's thread only. */
  void respond(byte[] data, CompletionEntry entry) {
    if (data.length == 0) {
      respond(entry);
      return;
    }
    Reply reply = connection.reply(dataBytes(data.length));
    reply.buffer().put(dataAt(), data);
    sendData(reply, data.length, entry, false);
  }

  /** Returns the offset of a reply's data. */
  int dataAt() {
    int head = DataHeader.SIZE + (framing.headerDigest() ? Digest.SIZE : 0);
    int unit = (alignment + 1) * 4;
    return (head + unit - 1) / unit * unit;
  }

  /** Returns the capacity of a reply with data and the response after them. */
  int dataBytes(int length) {
    return dataAt() + length + Digest.SIZE + RESPONSE_BYTES;
  }

  /**
   * Sends a reply that already contains the data, and the response.
   *
   * @param implied whether the header of the data may report success instead of a response
   */
  void sendData(Reply reply, int length, CompletionEntry entry, boolean implied) {
    ByteBuffer buffer = reply.buffer().clear();
    int at = dataAt();
    int flags = framing.digests() | PduType.LAST | (implied ? PduType.SUCCESS : 0);
    int whole = at + length + (framing.dataDigest() ? Digest.SIZE : 0);
    new PduHeader(PduType.CONTROLLER_DATA, flags, DataHeader.SIZE, at, whole).put(buffer, 0);
    new DataHeader(entry.command(), 0, 0, length).put(buffer, 0);
    digestHeader(buffer, 0, DataHeader.SIZE);
    if (framing.dataDigest()) {
      Digest.append(buffer, at, length);
    }
    buffer.position(implied ? whole : putResponse(buffer, whole, entry));
    reply.send();
  }

  /** Requests all data of a command by an R2T. Called by the connection's thread only. */
  void request(int command, int tag, int length) {
    Reply reply = connection.reply(RESPONSE_BYTES);
    ByteBuffer buffer = reply.buffer().clear();
    int whole = DataHeader.SIZE + (framing.headerDigest() ? Digest.SIZE : 0);
    int flags = framing.digests() & PduType.HEADER_DIGEST;
    new PduHeader(PduType.READY_TO_TRANSFER, flags, DataHeader.SIZE, 0, whole).put(buffer, 0);
    new DataHeader(command, tag, 0, length).put(buffer, 0);
    digestHeader(buffer, 0, DataHeader.SIZE);
    buffer.position(whole);
    reply.send();
  }

  /** Sends the reason why the connection ends, in a PDU without digests. */
  public void terminate(TermRequest reason, byte[] blamed) {
    Reply reply = connection.reply(TermRequest.SIZE + TermRequest.MAXIMUM_COPY);
    ByteBuffer buffer = reply.buffer().clear();
    buffer.position(reason.put(buffer, 0, blamed));
    reply.send();
  }

  private int putResponse(ByteBuffer buffer, int at, CompletionEntry entry) {
    int length = RESPONSE + (framing.headerDigest() ? Digest.SIZE : 0);
    int flags = framing.digests() & PduType.HEADER_DIGEST;
    new PduHeader(PduType.RESPONSE, flags, RESPONSE, 0, length).put(buffer, at);
    entry.put(buffer, at + PduHeader.SIZE);
    digestHeader(buffer, at, RESPONSE);
    return at + length;
  }

  private void digestHeader(ByteBuffer buffer, int at, int length) {
    if (framing.headerDigest()) {
      Digest.append(buffer, at, length);
    }
  }
}
