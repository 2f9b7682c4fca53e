package dev.holdfast.engine.example.outside.internal.nbd;

import dev.holdfast.nbd.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.LongFunction;

/**
 * A connection to one export. One thread sends, another one receives, and any may close it, which
 * ends both calls.
 */
public final class NbdConnection implements AutoCloseable {
  private static final String ALLOCATION = "base:allocation";
  private static final int REPLY_OFFSET_HOLE = 2;
  private static final int ERROR_BIT = 0x8000;

  private final SocketChannel channel;

  private NbdConnection(SocketChannel channel) {
    this.channel = channel;
  }

  /**
   * Connects.
   *
   * @param socket of the server
   * @param export name of the export
   * @throws IOException when no server answers or it does not offer the export
   */
  public static NbdConnection open(Path socket, String export) throws IOException {
    NbdConnection connection =
        new NbdConnection(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    try {
      connection.negotiate(export);
      return connection;
    } catch (IOException e) {
      connection.close();
      throw e;
    }
  }

  private void negotiate(String export) throws IOException {
    ByteBuffer greeting = receive(18);
    if (greeting.getLong() != Wire.INIT_MAGIC || greeting.getLong() != Wire.OPTION_MAGIC) {
      throw new IOException("the server does not support NBD options");
    }
    int flags = Wire.HANDSHAKE_FIXED_NEWSTYLE | Wire.HANDSHAKE_NO_ZEROES;
    send(ByteBuffer.allocate(4).putInt(flags).flip());
    option(Wire.OPT_STRUCTURED_REPLY, ByteBuffer.allocate(0));
    byte[] name = export.getBytes(StandardCharsets.UTF_8);
    byte[] context = ALLOCATION.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer query = ByteBuffer.allocate(12 + name.length + context.length);
    query.putInt(name.length).put(name).putInt(1).putInt(context.length).put(context);
    option(Wire.OPT_SET_META_CONTEXT, query.flip());
    ByteBuffer go = ByteBuffer.allocate(6 + name.length);
    option(Wire.OPT_GO, go.putInt(name.length).put(name).putShort((short) 0).flip());
  }

  /** Sends an option and reads its replies up to the acknowledgement. */
  private void option(int option, ByteBuffer data) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(16);
    send(header.putLong(Wire.OPTION_MAGIC).putInt(option).putInt(data.remaining()).flip());
    send(data);
    for (int reply = 0; reply != Wire.REP_ACK; ) {
      ByteBuffer answer = receive(20).position(12);
      reply = answer.getInt();
      ByteBuffer unused = receive(answer.getInt());
      if (reply < 0) {
        throw new IOException(
            "the server refuses option " + option + ", reply " + Integer.toHexString(reply));
      }
    }
  }

  /** Sends a request. */
  void send(OutsideRequest request) throws IOException {
    send(request.header());
    send(request.payload());
  }

  /**
   * Receives until a request has its whole reply.
   *
   * @param sent finds a request by its number
   * @return the request
   */
  OutsideRequest receive(LongFunction<OutsideRequest> sent) throws IOException {
    while (true) {
      ByteBuffer header = receive(16);
      int magic = header.getInt();
      int detail = header.getInt();
      OutsideRequest request = sent.apply(header.getLong());
      if (request == null) {
        throw new IOException("the server sent a reply that belongs to no request");
      }
      if (magic == Wire.SIMPLE_REPLY_MAGIC) {
        request.failed(detail);
        if (detail == 0 && request.isRead()) {
          throw new IOException("the server sent bytes without their place");
        }
        return request;
      }
      if (magic != Wire.STRUCTURED_REPLY_MAGIC) {
        throw new IOException("the server sent no reply: " + Integer.toHexString(magic));
      }
      chunk(request, detail & 0xffff, receive(4).getInt());
      if ((detail >>> 16 & Wire.REPLY_FLAG_DONE) != 0) {
        return request;
      }
    }
  }

  private void chunk(OutsideRequest request, int type, int length) throws IOException {
    if (type == Wire.REPLY_OFFSET_DATA) {
      fill(request.target(receive(8).getLong(), length - 8));
    } else if (type == REPLY_OFFSET_HOLE) {
      ByteBuffer hole = receive(12);
      ByteBuffer target = request.target(hole.getLong(), hole.getInt());
      target.put(new byte[target.remaining()]);
    } else if (type == Wire.REPLY_BLOCK_STATUS) {
      ByteBuffer status = receive(length).position(4);
      while (status.hasRemaining()) {
        request.addExtent(status.getInt() & 0xffffffffL, status.getInt());
      }
    } else if ((type & ERROR_BIT) != 0) {
      request.failed(receive(length).getInt());
    } else {
      ByteBuffer unused = receive(length);
    }
  }

  private void send(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private ByteBuffer receive(int length) throws IOException {
    if (length < 0 || length > Wire.MAXIMUM_PAYLOAD) {
      throw new IOException("the server announces " + length + " bytes");
    }
    ByteBuffer bytes = ByteBuffer.allocate(length);
    fill(bytes);
    return bytes.flip();
  }

  private void fill(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (channel.read(bytes) < 0) {
        throw new EOFException("the server disconnected");
      }
    }
  }

  /** Disconnects; requests in flight may have an effect later. Idempotent. */
  @Override
  public void close() throws IOException {
    channel.close();
  }
}
