package dev.holdfast.engine.sparse.internal.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.cert.Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** The client's side of TLS. The handshake runs while the channel is blocking. */
public final class TlsDataSocket implements DataSocket {
  private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};

  private final SocketChannel channel;
  private final SSLEngine engine;
  private final BufferCache<ByteBuffer> sealed;
  private final ByteBuffer opened;
  private final int packet;
  // Allocated only while it holds the beginning of a record.
  private ByteBuffer sealedIn;

  // Guarded by this; allocated only while it holds bytes.
  private ByteBuffer sealedOut;
  private boolean answerWanted;

  public TlsDataSocket(SocketChannel channel, SSLContext context, WireBuffers buffers) {
    this.channel = channel;
    this.sealed = buffers.sealed();
    this.engine = context.createSSLEngine();
    engine.setUseClientMode(true);
    engine.setEnabledProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
    this.packet = engine.getSession().getPacketBufferSize();
    this.opened = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).limit(0);
  }

  public void handshake() throws IOException {
    engine.beginHandshake();
    while (true) {
      switch (engine.getHandshakeStatus()) {
        case NEED_WRAP -> answer();
        case NEED_TASK -> runTasks();
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          opened.clear();
          SSLEngineResult result = unwrap(opened);
          opened.flip();
          if (result == null || result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new SSLException("the node closed the connection during the TLS handshake");
          }
        }
        case FINISHED, NOT_HANDSHAKING -> {
          return;
        }
      }
    }
  }

  /** Returns the certificates that the node presented in the handshake. */
  Certificate[] peerCertificates() throws SSLException {
    return engine.getSession().getPeerCertificates();
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    int count = readRecords(target);
    if (sealedIn != null && !sealedIn.hasRemaining()) {
      sealed.give(sealedIn);
      sealedIn = null;
    }
    return count;
  }

  private int readRecords(ByteBuffer target) throws IOException {
    while (true) {
      if (opened.hasRemaining()) {
        return drainOpened(target);
      }
      int before = target.position();
      boolean direct = target.remaining() >= opened.capacity();
      if (!direct) {
        opened.clear();
      }
      SSLEngineResult result = unwrap(direct ? target : opened);
      if (!direct) {
        opened.flip();
      }
      if (target.position() > before) {
        return target.position() - before;
      }
      if (result == null) {
        return 0;
      }
      if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
        return -1;
      }
      afterUnwrap(result.getHandshakeStatus());
    }
  }

  private int drainOpened(ByteBuffer target) {
    int count = Math.min(opened.remaining(), target.remaining());
    int limit = opened.limit();
    target.put(opened.limit(opened.position() + count));
    opened.limit(limit);
    return count;
  }

  /**
   * Unwraps one record. Returns null when no record is complete and the socket has no more bytes
   * now.
   */
  private SSLEngineResult unwrap(ByteBuffer target) throws IOException {
    if (sealedIn == null) {
      sealedIn = sealed.take().limit(0);
    }
    while (true) {
      SSLEngineResult result = engine.unwrap(sealedIn, target);
      if (result.getStatus() != SSLEngineResult.Status.BUFFER_UNDERFLOW) {
        return result;
      }
      sealedIn.compact();
      int count = channel.read(sealedIn);
      sealedIn.flip();
      if (count < 0) {
        throw new IOException("the node closed the connection without ending TLS");
      }
      if (count == 0) {
        return null;
      }
    }
  }

  private void afterUnwrap(HandshakeStatus status) throws IOException {
    switch (status) {
      case NEED_WRAP -> answer();
      case NEED_TASK -> runTasks();
      case NEED_UNWRAP, NEED_UNWRAP_AGAIN, FINISHED, NOT_HANDSHAKING -> {
        // The next round of the loop continues to read.
      }
    }
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  private synchronized void answer() throws IOException {
    answerWanted = true;
    boolean unused = write(NOTHING, 0, 1);
  }

  @Override
  public synchronized boolean write(ByteBuffer[] sources, int first, int end) throws IOException {
    if (sealedOut == null) {
      sealedOut = sealed.take();
    }
    int next = first;
    while (true) {
      while (next < end && !sources[next].hasRemaining()) {
        next++;
      }
      while ((next < end || answerWanted) && sealedOut.remaining() >= packet) {
        SSLEngineResult result =
            next < end
                ? engine.wrap(sources, next, end - next, sealedOut)
                : engine.wrap(NOTHING, sealedOut);
        answerWanted = false;
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
          throw new SSLException("the TLS session is closed");
        }
        while (next < end && !sources[next].hasRemaining()) {
          next++;
        }
      }
      if (!flush()) {
        return false;
      }
      if (next >= end && !answerWanted) {
        sealed.give(sealedOut);
        sealedOut = null;
        return true;
      }
    }
  }

  private boolean flush() throws IOException {
    sealedOut.flip();
    while (sealedOut.hasRemaining() && channel.write(sealedOut) > 0) {
      // Write until the socket accepts no more.
    }
    boolean empty = !sealedOut.hasRemaining();
    sealedOut.compact();
    return empty;
  }

  @Override
  public boolean readsAhead() {
    return true;
  }

  @Override
  public synchronized boolean hasUnsent() {
    return answerWanted || (sealedOut != null && sealedOut.position() > 0);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
