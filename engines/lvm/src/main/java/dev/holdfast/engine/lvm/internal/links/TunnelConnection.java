package dev.holdfast.engine.lvm.internal.links;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.nbd.Wire;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client of a tunnel and its connection to the server. The tunnel negotiates TLS with the
 * server, and gives the client the server's greeting without the offer of TLS. All that follows is
 * passed on as it is. Closing one side closes the other one.
 */
final class TunnelConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TunnelConnection.class);
  private static final int CONNECT_MILLIS = 5_000;
  private static final int HANDSHAKE_MILLIS = 10_000;
  private static final int BUFFER = 256 << 10;
  private static final int GREETING = 18;
  private static final int FLAGS = Wire.HANDSHAKE_FIXED_NEWSTYLE | Wire.HANDSHAKE_NO_ZEROES;

  private final SocketChannel client;
  private final Socket plain;
  private final SSLSocket server;

  private TunnelConnection(SocketChannel client, Socket plain, SSLSocket server) {
    this.client = client;
    this.plain = plain;
    this.server = server;
  }

  /** Connects a client, which is closed when that fails. */
  static TunnelConnection open(SocketChannel client, PoolAddress address, SSLContext context)
      throws IOException {
    Socket plain = new Socket();
    try {
      plain.setTcpNoDelay(true);
      plain.setKeepAlive(true);
      plain.connect(new InetSocketAddress(address.host(), address.port()), CONNECT_MILLIS);
      plain.setSoTimeout(HANDSHAKE_MILLIS);
      askForTls(plain);
      SSLSocket server =
          (SSLSocket)
              context.getSocketFactory().createSocket(plain, address.host(), address.port(), true);
      server.startHandshake();
      server.setSoTimeout(0);
      greet(client);
      return new TunnelConnection(client, plain, server);
    } catch (IOException e) {
      plain.close();
      client.close();
      throw e;
    }
  }

  private static void askForTls(Socket server) throws IOException {
    DataInputStream input = new DataInputStream(server.getInputStream());
    if (input.readLong() != Wire.INIT_MAGIC || input.readLong() != Wire.OPTION_MAGIC) {
      throw new IOException("the server does not speak NBD");
    }
    if ((input.readUnsignedShort() & FLAGS) != FLAGS) {
      throw new IOException("the server speaks too old an NBD");
    }
    ByteBuffer request = ByteBuffer.allocate(20);
    request.putInt(FLAGS).putLong(Wire.OPTION_MAGIC).putInt(Wire.OPT_STARTTLS).putInt(0);
    server.getOutputStream().write(request.array());
    long magic = input.readLong();
    int option = input.readInt();
    int type = input.readInt();
    int length = input.readInt();
    if (magic != Wire.OPTION_REPLY_MAGIC
        || option != Wire.OPT_STARTTLS
        || type != Wire.REP_ACK
        || length != 0) {
      throw new IOException("the server refuses TLS");
    }
  }

  private static void greet(SocketChannel client) throws IOException {
    ByteBuffer greeting = ByteBuffer.allocate(GREETING);
    greeting.putLong(Wire.INIT_MAGIC).putLong(Wire.OPTION_MAGIC).putShort((short) FLAGS).flip();
    send(client, greeting);
    ByteBuffer answer = ByteBuffer.allocate(Integer.BYTES);
    while (answer.hasRemaining()) {
      if (client.read(answer) < 0) {
        throw new IOException("the client left in the handshake");
      }
    }
    if (answer.flip().getInt() != FLAGS) {
      throw new IOException("the client speaks too old an NBD");
    }
  }

  private static void send(SocketChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      int unused = channel.write(bytes);
    }
  }

  /** Passes on what the client sends, until one side ends. */
  void copyRequests() {
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    try {
      OutputStream output = server.getOutputStream();
      while (client.read(buffer.clear()) >= 0) {
        output.write(buffer.array(), 0, buffer.position());
      }
    } catch (IOException e) {
      LOG.debug("link: the connection ended", e);
    } finally {
      close();
    }
  }

  /** Passes on what the server sends, until one side ends. */
  void copyReplies() {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream input = server.getInputStream();
      for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
        send(client, ByteBuffer.wrap(buffer, 0, count));
      }
    } catch (IOException e) {
      LOG.debug("link: the connection ended", e);
    } finally {
      close();
    }
  }

  /** Ends the connection below TLS, because an orderly end of TLS could wait for the server. */
  @Override
  public void close() {
    try {
      client.close();
      plain.close();
    } catch (IOException e) {
      LOG.debug("link: could not close", e);
    }
  }
}
