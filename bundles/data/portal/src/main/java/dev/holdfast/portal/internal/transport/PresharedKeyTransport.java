package dev.holdfast.portal.internal.transport;

import dev.holdfast.frontend.PresharedKeyFrontend;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * TLS 1.3 with a pre-shared key over a blocking socket. One thread may read while another writes.
 * The lock of {@code tls} is held during encryption and decryption, never during a wait for the
 * socket; the lock {@code writing} keeps records in order on the socket.
 */
public final class PresharedKeyTransport implements Transport {
  private static final int RECORDS = 4 << 14;
  private static final int ROOM_FOR_HEADERS = 4 << 10;

  private final SocketChannel channel;
  private final PresharedKeyServer server;
  private final PresharedKeyProtocol tls;
  private final ByteBuffer sealedIn = ByteBuffer.allocateDirect(RECORDS);
  private final byte[] received = new byte[RECORDS];
  private final ByteBuffer sealedOut = ByteBuffer.allocateDirect(RECORDS + ROOM_FOR_HEADERS);
  private final byte[] clear = new byte[RECORDS];
  private final Object writing = new Object();

  PresharedKeyTransport(SocketChannel channel, PresharedKeyFrontend keys) {
    this(channel, keys, PresharedKeyProtocol.KEY_BYTES);
  }

  PresharedKeyTransport(SocketChannel channel, PresharedKeyFrontend keys, long keyBytes) {
    this.channel = channel;
    this.server = new PresharedKeyServer(keys);
    this.tls = new PresharedKeyProtocol(keyBytes);
  }

  /**
   * Performs the handshake.
   *
   * @param first bytes of it that were already read
   * @throws IOException when it fails; the message contains the reason
   */
  void handshake(byte[] first) throws IOException {
    try {
      tls.accept(server);
      open(first, first.length);
      while (!server.complete()) {
        if (!receive()) {
          throw new IOException("the client closed during the TLS handshake");
        }
      }
    } catch (IOException e) {
      throw server.trouble().isEmpty() ? e : new IOException(server.trouble(), e);
    }
  }

  /** Returns the identity of the key that the client has proved to have. */
  public String identity() {
    return server.identity();
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    while (true) {
      synchronized (tls) {
        int available = tls.getAvailableInputBytes();
        if (available > 0) {
          return tls.readInput(target, Math.min(available, target.remaining()));
        }
        if (tls.isClosed()) {
          return -1;
        }
      }
      if (!receive()) {
        throw new IOException("the client closed the connection without ending TLS");
      }
    }
  }

  /** Waits for bytes from the client. Returns false at the end of the stream. */
  private boolean receive() throws IOException {
    sealedIn.clear();
    int count = channel.read(sealedIn);
    if (count < 0) {
      return false;
    }
    sealedIn.flip().get(received, 0, count);
    open(received, count);
    return true;
  }

  /** Decrypts, and sends TLS's own output: handshake messages and alerts. */
  private void open(byte[] bytes, int count) throws IOException {
    try {
      synchronized (tls) {
        tls.offerInput(bytes, 0, count);
      }
    } finally {
      sendAnswers();
    }
  }

  private void sendAnswers() throws IOException {
    synchronized (tls) {
      if (tls.getAvailableOutputBytes() == 0) {
        return;
      }
    }
    synchronized (writing) {
      while (takeSealed()) {
        flush();
      }
    }
  }

  @Override
  public void write(ByteBuffer[] sources, int count) throws IOException {
    synchronized (writing) {
      int length = collect(sources, count);
      while (length > 0) {
        synchronized (tls) {
          if (tls.isClosed()) {
            throw new IOException("the TLS session is closed");
          }
          tls.seal(clear, length);
        }
        while (takeSealed()) {
          flush();
        }
        length = collect(sources, count);
      }
    }
  }

  private int collect(ByteBuffer[] sources, int count) {
    int length = 0;
    for (int i = 0; i < count && length < clear.length; i++) {
      int part = Math.min(sources[i].remaining(), clear.length - length);
      sources[i].get(clear, length, part);
      length += part;
    }
    return length;
  }

  /** Returns whether bytes must be sent. */
  private boolean takeSealed() {
    synchronized (tls) {
      sealedOut.clear();
      return tls.readOutput(sealedOut, sealedOut.remaining()) > 0;
    }
  }

  private void flush() throws IOException {
    sealedOut.flip();
    while (sealedOut.hasRemaining()) {
      channel.write(sealedOut);
    }
  }

  @Override
  public int directBytes() {
    return sealedIn.capacity() + sealedOut.capacity();
  }

  @Override
  public Optional<NonBlockingTransport> prompt() {
    return Optional.empty();
  }

  @Override
  public void close() throws IOException {
    try (SocketChannel closing = channel) {
      if (closing.isOpen()) {
        synchronized (tls) {
          tls.close();
        }
        sendAnswers();
      }
    }
  }
}
