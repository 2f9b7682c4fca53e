package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nbd.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The client's side of NBD's negotiation, on a blocking socket. */
public final class DataHandshake {
  private static final int LONGEST_REPLY = 4096;

  private final String what;
  private DataSocket socket;

  public DataHandshake(String what, DataSocket socket) {
    this.what = what;
    this.socket = socket;
  }

  /** Reads the greeting and replies to it. */
  public void greet() throws IOException {
    ByteBuffer greeting = receive(18);
    if (greeting.getLong() != Wire.INIT_MAGIC || greeting.getLong() != Wire.OPTION_MAGIC) {
      throw new IOException("the peer is not an NBD server");
    }
    int flags = greeting.getShort();
    int needed = Wire.HANDSHAKE_FIXED_NEWSTYLE | Wire.HANDSHAKE_NO_ZEROES;
    if ((flags & needed) != needed) {
      throw new IOException("the node's NBD version is too old");
    }
    send(ByteBuffer.allocate(4).putInt(needed).flip());
  }

  /** Requests TLS; after this all data passes through the socket that {@link #over} returns. */
  public void askForTls() throws IOException, StorageException {
    option(Wire.OPT_STARTTLS, new byte[0]);
    while (!acknowledged(Wire.OPT_STARTTLS)) {
      // Other replies are not expected here and are harmless.
    }
  }

  /** Continues over another socket. */
  public void over(DataSocket changed) {
    socket = changed;
  }

  /**
   * Selects the export and starts the transmission phase.
   *
   * @throws StorageException CONFLICT when the session does not exist or has ended
   */
  public void go(String export) throws IOException, StorageException {
    byte[] name = export.getBytes(StandardCharsets.UTF_8);
    ByteBuffer data = ByteBuffer.allocate(name.length + 6);
    data.putInt(name.length).put(name).putShort((short) 0);
    option(Wire.OPT_GO, data.array());
    while (!acknowledged(Wire.OPT_GO)) {
      // The properties of the export are ignored, because the control calls already returned them.
    }
  }

  private void option(int option, byte[] data) throws IOException {
    send(
        ByteBuffer.allocate(16 + data.length)
            .putLong(Wire.OPTION_MAGIC)
            .putInt(option)
            .putInt(data.length)
            .put(data)
            .flip());
  }

  private boolean acknowledged(int option) throws IOException, StorageException {
    ByteBuffer reply = receive(20);
    if (reply.getLong() != Wire.OPTION_REPLY_MAGIC || reply.getInt() != option) {
      throw new IOException("the node answered an option with an invalid reply");
    }
    int type = reply.getInt();
    int length = reply.getInt();
    if (length < 0 || length > LONGEST_REPLY) {
      throw new IOException("the node answered an option with " + length + " bytes");
    }
    ByteBuffer data = receive(length);
    if (type < 0) {
      String message = StandardCharsets.UTF_8.decode(data).toString();
      throw new StorageException(
          type == Wire.REP_ERR_UNKNOWN ? ErrorCode.CONFLICT : ErrorCode.UNREACHABLE,
          what + ": " + message);
    }
    return type == Wire.REP_ACK;
  }

  private ByteBuffer receive(int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (socket.read(bytes) < 0) {
        throw new IOException("the node closed the connection during the handshake");
      }
    }
    return bytes.flip();
  }

  private void send(ByteBuffer bytes) throws IOException {
    boolean unused = socket.write(new ByteBuffer[] {bytes}, 0, 1);
  }
}
