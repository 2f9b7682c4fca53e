package dev.holdfast.mounts;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nbd.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Writes into an NBD export of this host, with several requests in flight; {@link #flush} and
 * {@link #close} wait for them. For one thread.
 */
final class NbdWriter implements AutoCloseable {
  private static final int IN_FLIGHT = 16;
  private static final int GREETING = 18;
  private static final int OPTION_REPLY = 20;
  private static final int SIMPLE_REPLY = 16;
  private static final int REQUEST = 28;

  private final String export;
  private final SocketChannel channel;
  private long cookie;
  private int unanswered;

  private NbdWriter(String export, SocketChannel channel) {
    this.export = export;
    this.channel = channel;
  }

  /**
   * Connects.
   *
   * @param socket socket of the serving node
   * @throws IOException when the node does not offer the export
   */
  static NbdWriter open(Path socket, String export) throws IOException {
    NbdWriter writer =
        new NbdWriter(export, SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    try {
      writer.negotiate();
      return writer;
    } catch (IOException e) {
      writer.channel.close();
      throw e;
    }
  }

  private void negotiate() throws IOException {
    ByteBuffer greeting = receive(GREETING);
    if (greeting.getLong() != Wire.INIT_MAGIC || greeting.getLong() != Wire.OPTION_MAGIC) {
      throw new IOException(export + ": the server does not support NBD options");
    }
    byte[] name = export.getBytes(StandardCharsets.UTF_8);
    int length = Integer.BYTES + name.length + Short.BYTES;
    ByteBuffer request = ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES + length);
    request.putInt(Wire.HANDSHAKE_FIXED_NEWSTYLE | Wire.HANDSHAKE_NO_ZEROES);
    request.putLong(Wire.OPTION_MAGIC).putInt(Wire.OPT_GO).putInt(length);
    send(request.putInt(name.length).put(name).putShort((short) 0).flip());
    for (int reply = 0; reply != Wire.REP_ACK; ) {
      ByteBuffer header = receive(OPTION_REPLY).position(Long.BYTES + Integer.BYTES);
      reply = header.getInt();
      ByteBuffer unused = receive(header.getInt());
      if (reply < 0) {
        throw new IOException(
            export + ": the server refuses it, reply " + Integer.toHexString(reply));
      }
    }
  }

  /**
   * Writes bytes asynchronously.
   *
   * @throws StorageException NO_SPACE or IO, also for an earlier write
   */
  void write(long offset, ByteBuffer bytes) throws IOException, StorageException {
    while (unanswered >= IN_FLIGHT) {
      receiveReply();
    }
    send(header(Wire.CMD_WRITE, offset, bytes.remaining()));
    send(bytes);
    unanswered++;
  }

  /**
   * Waits until all writes are durable.
   *
   * @throws StorageException NO_SPACE or IO when one of them failed
   */
  void flush() throws IOException, StorageException {
    receiveReplies();
    send(header(Wire.CMD_FLUSH, 0, 0));
    unanswered++;
    receiveReplies();
  }

  private ByteBuffer header(int command, long offset, int length) {
    return ByteBuffer.allocate(REQUEST)
        .putInt(Wire.REQUEST_MAGIC)
        .putShort((short) 0)
        .putShort((short) command)
        .putLong(++cookie)
        .putLong(offset)
        .putInt(length)
        .flip();
  }

  private void receiveReplies() throws IOException, StorageException {
    while (unanswered > 0) {
      receiveReply();
    }
  }

  private void receiveReply() throws IOException, StorageException {
    ByteBuffer reply = receive(SIMPLE_REPLY);
    if (reply.getInt() != Wire.SIMPLE_REPLY_MAGIC) {
      throw new IOException(export + ": the server sent no reply");
    }
    int error = reply.getInt();
    unanswered--;
    if (error != 0) {
      throw new StorageException(
          error == Wire.ENOSPC ? ErrorCode.NO_SPACE : ErrorCode.IO,
          "export " + export + ": a write failed with error " + error);
    }
  }

  private void send(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private ByteBuffer receive(int length) throws IOException {
    if (length < 0 || length > Wire.MAXIMUM_PAYLOAD) {
      throw new IOException(export + ": the server announces " + length + " bytes");
    }
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes) < 0) {
        throw new EOFException(export + ": the server disconnected");
      }
    }
    return bytes.flip();
  }

  /** Disconnects. Unflushed data may be lost. */
  @Override
  public void close() throws IOException {
    try (channel) {
      send(header(Wire.CMD_DISC, 0, 0));
    }
  }
}
