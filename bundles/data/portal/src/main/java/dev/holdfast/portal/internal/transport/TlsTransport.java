package dev.holdfast.portal.internal.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.cert.Certificate;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** TLS 1.2 and 1.3 over a blocking socket. One thread may read while another writes. */
public final class TlsTransport implements Transport {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SocketChannel channel;
  private final SSLEngine engine;
  private final ByteBuffer sealedIn;
  private final ByteBuffer sealedOut;
  private final ByteBuffer opened;
  private final Object writing = new Object();

  public TlsTransport(SocketChannel channel, SSLContext context) {
    this.channel = channel;
    this.engine = context.createSSLEngine();
    engine.setUseClientMode(false);
    engine.setEnabledProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
    int packet = engine.getSession().getPacketBufferSize();
    this.sealedIn = ByteBuffer.allocateDirect(4 * packet).limit(0);
    this.sealedOut = ByteBuffer.allocateDirect(4 * packet);
    this.opened = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).limit(0);
  }

  /** Returns a transport whose client must present a certificate that the context trusts. */
  public static TlsTransport withClientCertificate(SocketChannel channel, SSLContext context) {
    TlsTransport transport = new TlsTransport(channel, context);
    transport.engine.setNeedClientAuth(true);
    return transport;
  }

  /** Returns a transport whose client may present a certificate that the context trusts. */
  public static TlsTransport withOptionalCertificate(SocketChannel channel, SSLContext context) {
    TlsTransport transport = new TlsTransport(channel, context);
    transport.engine.setWantClientAuth(true);
    return transport;
  }

  /** Returns the certificates that the client presented in the handshake. */
  public Certificate[] peerCertificates() throws SSLException {
    return engine.getSession().getPeerCertificates();
  }

  /** Performs the handshake; application data cannot arrive before its end. */
  public void handshake() throws IOException {
    try {
      negotiate();
    } catch (SSLException e) {
      tellClient(e);
      throw e;
    }
  }

  /** Sends the alert with the cause of the failed handshake. */
  private void tellClient(SSLException failure) {
    try {
      sendHandshake();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private void negotiate() throws IOException {
    engine.beginHandshake();
    while (true) {
      switch (engine.getHandshakeStatus()) {
        case NEED_WRAP -> sendHandshake();
        case NEED_TASK -> runTasks();
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> receiveHandshake();
        case FINISHED, NOT_HANDSHAKING -> {
          return;
        }
      }
    }
  }

  private void receiveHandshake() throws IOException {
    opened.clear();
    SSLEngineResult result = unwrapInto(opened);
    opened.flip();
    if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
      throw new SSLException("the client closed during the TLS handshake");
    }
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    while (true) {
      if (opened.hasRemaining()) {
        return drainOpened(target);
      }
      int before = target.position();
      SSLEngineResult result;
      if (target.remaining() >= opened.capacity()) {
        result = unwrapInto(target);
      } else {
        opened.clear();
        result = unwrapInto(opened);
        opened.flip();
      }
      if (target.position() > before) {
        return target.position() - before;
      }
      if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
        return -1;
      }
      afterUnwrap(result.getHandshakeStatus());
    }
  }

  @Override
  public void write(ByteBuffer[] sources, int count) throws IOException {
    synchronized (writing) {
      while (sources[count - 1].hasRemaining() || remaining(sources, count) > 0) {
        sealedOut.clear();
        SSLEngineResult result = engine.wrap(sources, 0, count, sealedOut);
        flush();
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
          throw new SSLException("the TLS session is closed");
        }
      }
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
    synchronized (writing) {
      engine.closeOutbound();
      if (channel.isOpen()) {
        sealedOut.clear();
        engine.wrap(NOTHING, sealedOut);
        flush();
      }
    }
    channel.close();
  }

  private static long remaining(ByteBuffer[] sources, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += sources[i].remaining();
    }
    return sum;
  }

  private int drainOpened(ByteBuffer target) {
    int count = Math.min(opened.remaining(), target.remaining());
    int limit = opened.limit();
    target.put(opened.limit(opened.position() + count));
    opened.limit(limit);
    return count;
  }

  /** Unwraps one record, reading from the socket when none is complete. */
  private SSLEngineResult unwrapInto(ByteBuffer target) throws IOException {
    while (true) {
      SSLEngineResult result = engine.unwrap(sealedIn, target);
      if (result.getStatus() != SSLEngineResult.Status.BUFFER_UNDERFLOW) {
        return result;
      }
      sealedIn.compact();
      int count = channel.read(sealedIn);
      sealedIn.flip();
      if (count < 0) {
        throw new IOException("the client closed the connection without ending TLS");
      }
    }
  }

  private void afterUnwrap(HandshakeStatus status) throws IOException {
    switch (status) {
      case NEED_WRAP -> sendHandshake();
      case NEED_TASK -> runTasks();
      case NEED_UNWRAP, NEED_UNWRAP_AGAIN, FINISHED, NOT_HANDSHAKING -> {
        // The next round of the loop continues to read.
      }
    }
  }

  private void sendHandshake() throws IOException {
    synchronized (writing) {
      sealedOut.clear();
      engine.wrap(NOTHING, sealedOut);
      flush();
    }
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  private void flush() throws IOException {
    sealedOut.flip();
    while (sealedOut.hasRemaining()) {
      channel.write(sealedOut);
    }
  }
}
