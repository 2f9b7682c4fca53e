package dev.holdfast.apiserver.internal.http;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection, served on a thread of its own. What the client must do has a deadline,
 * at which the server closes the channel.
 *
 * <pre>
 *   handshake -- silence -- the request arrives -- the answer is taken
 *      5 s       30 s  ^           30 s             30 s for each piece
 *                      +-----------------------------------+
 * </pre>
 */
final class HttpConnection implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

  /** More than the largest body: a client that is refused by its head gets its answer. */
  private static final int UNREAD_LIMIT = 4 << 20;

  private static final int BUFFER = 4 << 10;
  private static final byte[] CONTINUE =
      "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final SocketChannel channel;
  private final SSLContext tls;
  private final HttpHandler handler;
  private final HttpLimits limits;
  private final Consumer<HttpConnection> whenEnded;
  private final InetAddress address;
  private final Deadline deadline = new Deadline();
  private boolean halfOpen = true;

  /** A connection that was accepted; its time runs. */
  HttpConnection(
      SocketChannel channel,
      SSLContext tls,
      HttpHandler handler,
      HttpLimits limits,
      Consumer<HttpConnection> whenEnded) {
    this.channel = channel;
    this.tls = tls;
    this.handler = handler;
    this.limits = limits;
    this.whenEnded = whenEnded;
    this.address = channel.socket().getInetAddress();
    deadline.within(limits.handshake());
  }

  InetAddress address() {
    return address;
  }

  /** Returns whether its handshake is not complete. */
  synchronized boolean isHalfOpen() {
    return halfOpen;
  }

  /** Ends it unless its handshake is complete. */
  synchronized void abortHalfOpen() {
    if (halfOpen) {
      halfOpen = false;
      abort();
    }
  }

  private synchronized void handshakeIsOver() {
    halfOpen = false;
  }

  /** Ends it when the client is too late. */
  void check(long now) {
    if (deadline.isOver(now)) {
      LOG.debug("closing the connection of {}, which is too late", address);
      abort();
    }
  }

  /** Ends it, from any thread. */
  void abort() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("closing a connection failed", e);
    }
  }

  @Override
  public void run() {
    try (channel) {
      // Without the client's name, for which the DNS would be asked.
      SSLSocket socket =
          (SSLSocket) tls.getSocketFactory().createSocket(channel.socket(), null, true);
      socket.startHandshake();
      handshakeIsOver();
      serve(socket);
      deadline.within(limits.write());
      socket.close();
    } catch (IOException e) {
      LOG.debug("a client's connection ended: {}", e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("serving a client failed; its connection is closed", e);
    } finally {
      handshakeIsOver();
      whenEnded.accept(this);
    }
  }

  private void serve(SSLSocket socket) throws IOException {
    InputStream in = new BufferedInputStream(socket.getInputStream(), BUFFER);
    OutputStream out =
        new BufferedOutputStream(
            new LimitedOutput(socket.getOutputStream(), deadline, limits.write()), BUFFER);
    try {
      boolean another = true;
      while (another) {
        another = serveOne(in, out);
      }
    } catch (BadRequestException e) {
      ResponseWriter.refuse(out, e);
    }
  }

  private boolean serveOne(InputStream in, OutputStream out) throws IOException {
    deadline.within(limits.request());
    in.mark(1);
    if (in.read() < 0) {
      return false;
    }
    in.reset();
    deadline.within(limits.request());
    Optional<RequestHead> head = RequestHead.read(in);
    if (head.isEmpty()) {
      return false;
    }
    RequestBody body = new RequestBody(in, head.get().bodyLength());
    if (head.get().header("expect").filter("100-continue"::equalsIgnoreCase).isPresent()) {
      out.write(CONTINUE);
      out.flush();
      deadline.within(limits.request());
    }
    ResponseWriter response = new ResponseWriter(out, head.get());
    handler.handle(
        new HttpExchange(
            head.get(), body, response, deadline, limits.request(), address.getHostAddress()));
    deadline.within(limits.request());
    // Also before the connection ends: bytes that were not read would have the answer lost.
    boolean drained = body.drain(UNREAD_LIMIT);
    return drained && response.isReusable();
  }
}
