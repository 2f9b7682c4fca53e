package dev.holdfast.engine.testkit;

import dev.holdfast.nbd.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Client of an NBD server for tests: one request at a time, simple replies, without reconnects. */
public final class NbdHostConnection implements HostConnection {
  private static final int DEFAULT_PORT = 10_809;
  private static final int INFO_EXPORT_BYTES = 12;
  private static final String SOCKET = "socket=";

  private final SocketChannel channel;
  private final long size;
  private long cookie;

  /**
   * Connects.
   *
   * @param endpoint {@code nbd://host:port/export} or {@code nbd+unix:///export?socket=path}, not
   *     null
   * @throws IOException when no server answers or it does not offer the export
   */
  public NbdHostConnection(URI endpoint) throws IOException {
    channel = connect(endpoint);
    try {
      size = negotiate(endpoint.getPath().substring(1));
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static SocketChannel connect(URI endpoint) throws IOException {
    if (endpoint.getScheme().equals("nbd")) {
      int port = endpoint.getPort() < 0 ? DEFAULT_PORT : endpoint.getPort();
      return SocketChannel.open(new InetSocketAddress(endpoint.getHost(), port));
    }
    String query = endpoint.getQuery();
    if (!endpoint.getScheme().equals("nbd+unix") || query == null || !query.startsWith(SOCKET)) {
      throw new IOException(endpoint + ": expected nbd://… or nbd+unix:///…?socket=PATH");
    }
    return SocketChannel.open(UnixDomainSocketAddress.of(query.substring(SOCKET.length())));
  }

  private long negotiate(String export) throws IOException {
    ByteBuffer greeting = receive(18);
    if (greeting.getLong() != Wire.INIT_MAGIC || greeting.getLong() != Wire.OPTION_MAGIC) {
      throw new IOException("the server does not support NBD options");
    }
    byte[] name = export.getBytes(StandardCharsets.UTF_8);
    ByteBuffer request = ByteBuffer.allocate(4 + 16 + 4 + name.length + 2);
    request.putInt(Wire.HANDSHAKE_FIXED_NEWSTYLE | Wire.HANDSHAKE_NO_ZEROES);
    request.putLong(Wire.OPTION_MAGIC).putInt(Wire.OPT_GO).putInt(4 + name.length + 2);
    request.putInt(name.length).put(name).putShort((short) 0);
    send(request.flip());
    long found = -1;
    for (int reply = 0; reply != Wire.REP_ACK; ) {
      ByteBuffer header = receive(20);
      header.position(12);
      reply = header.getInt();
      ByteBuffer data = receive(header.getInt());
      if (reply < 0) {
        throw new IOException(
            "export " + export + " is refused, reply " + Integer.toHexString(reply));
      }
      if (reply == Wire.REP_INFO
          && data.remaining() == INFO_EXPORT_BYTES
          && data.getShort() == Wire.INFO_EXPORT) {
        found = data.getLong();
      }
    }
    return found;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public byte[] read(long offset, int length) throws IOException {
    call(Wire.CMD_READ, offset, length, new byte[0]);
    return receive(length).array();
  }

  @Override
  public void write(long offset, byte[] content) throws IOException {
    call(Wire.CMD_WRITE, offset, content.length, content);
  }

  @Override
  public void flush() throws IOException {
    call(Wire.CMD_FLUSH, 0, 0, new byte[0]);
  }

  private void call(int command, long offset, int length, byte[] payload) throws IOException {
    ByteBuffer request = ByteBuffer.allocate(28 + payload.length);
    request.putInt(Wire.REQUEST_MAGIC).putShort((short) 0).putShort((short) command);
    request.putLong(++cookie).putLong(offset).putInt(length).put(payload);
    send(request.flip());
    ByteBuffer reply = receive(16);
    int magic = reply.getInt();
    int error = reply.getInt();
    if (magic != Wire.SIMPLE_REPLY_MAGIC || reply.getLong() != cookie) {
      throw new IOException("the server sent a reply that belongs to no request");
    }
    if (error != 0) {
      throw new IOException("the server reports error " + error);
    }
  }

  private void send(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private ByteBuffer receive(int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes) < 0) {
        throw new EOFException("the server disconnected");
      }
    }
    return bytes.flip();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new AssertionError("a socket could not be closed", e);
    }
  }
}
