package dev.holdfast.apiserver.internal.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small HTTPS server: HTTP/1.1 with a thread for each connection. A client that begins and does
 * not continue holds its own thread for a limited time, and never keeps other clients waiting.
 * Where an address, or all together, have too many half-open connections, the oldest is closed: a
 * client in order needs milliseconds for its handshake. Thread-safe.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
  private static final int BACKLOG = 1024;
  private static final int CHECKS_PER_LIMIT = 8;
  private static final long LONGEST_TICK_MILLIS = 500;
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final ServerSocketChannel listening;
  private final SSLContext tls;
  private final HttpHandler handler;
  private final HttpLimits limits;
  private final ExecutorService threads;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(threads());
  private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();

  /** The oldest first; for the accepting thread. */
  private final Deque<HttpConnection> halfOpen = new ArrayDeque<>();

  private HttpServer(
      ServerSocketChannel listening,
      SSLContext tls,
      HttpHandler handler,
      HttpLimits limits,
      ThreadFactory threads) {
    this.listening = listening;
    this.tls = tls;
    this.handler = handler;
    this.limits = limits;
    this.threads = Executors.newCachedThreadPool(threads);
  }

  /**
   * Starts a server.
   *
   * @param address to listen at; port 0 for any
   * @param tls with the server's certificate
   * @param handler answers the requests
   * @param limits of clients
   * @throws IOException when it cannot listen there
   */
  public static HttpServer start(
      InetSocketAddress address, SSLContext tls, HttpHandler handler, HttpLimits limits)
      throws IOException {
    return start(address, tls, handler, limits, threads());
  }

  static HttpServer start(
      InetSocketAddress address,
      SSLContext tls,
      HttpHandler handler,
      HttpLimits limits,
      ThreadFactory threads)
      throws IOException {
    ServerSocketChannel listening = ServerSocketChannel.open();
    try {
      listening.bind(address, BACKLOG);
    } catch (IOException | RuntimeException e) {
      listening.close();
      throw e;
    }
    HttpServer server = new HttpServer(listening, tls, handler, limits, threads);
    server.threads.execute(server::accept);
    long tick = server.tickMillis();
    var unused =
        server.clock.scheduleWithFixedDelay(server::check, tick, tick, TimeUnit.MILLISECONDS);
    return server;
  }

  private static ThreadFactory threads() {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, "holdfast-api-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  private long tickMillis() {
    long shortest =
        Stream.of(limits.handshake(), limits.request(), limits.write())
            .mapToLong(Duration::toMillis)
            .min()
            .orElseThrow();
    return Math.max(1, Math.min(LONGEST_TICK_MILLIS, shortest / CHECKS_PER_LIMIT));
  }

  /** Returns the port that it listens on. */
  public int port() {
    return listening.socket().getLocalPort();
  }

  private void accept() {
    while (listening.isOpen()) {
      try {
        admit(listening.accept());
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        if (listening.isOpen()) {
          LOG.warn("could not accept a client: {}", e.toString());
          // Mostly too many open files or threads: the same again at once would not help.
          LockSupport.parkNanos(PAUSE.toNanos());
        }
      }
    }
  }

  /** Serves a client; on the accepting thread. */
  void admit(SocketChannel channel) throws IOException {
    if (open.size() >= limits.connections()) {
      LOG.debug("{} clients are connected; another was closed", open.size());
      channel.close();
      return;
    }
    HttpConnection connection = new HttpConnection(channel, tls, handler, limits, open::remove);
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      makeRoom(connection);
      halfOpen.add(connection);
      open.add(connection);
      threads.execute(connection);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      halfOpen.remove(connection);
      open.remove(connection);
      connection.abort();
      throw e;
    }
    if (!listening.isOpen()) {
      // The server may have closed the others before this one was among them.
      connection.abort();
    }
  }

  private void makeRoom(HttpConnection next) {
    halfOpen.removeIf(connection -> !connection.isHalfOpen());
    if (halfOpen.size() >= limits.halfOpen()) {
      halfOpen.remove().abortHalfOpen();
    }
    long ofAddress = halfOpen.stream().filter(one -> one.address().equals(next.address())).count();
    Iterator<HttpConnection> oldest = halfOpen.iterator();
    while (ofAddress >= limits.halfOpenOfAddress() && oldest.hasNext()) {
      HttpConnection candidate = oldest.next();
      if (candidate.address().equals(next.address())) {
        candidate.abortHalfOpen();
        oldest.remove();
        ofAddress--;
      }
    }
  }

  private void check() {
    long now = System.nanoTime();
    open.forEach(connection -> connection.check(now));
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      LOG.warn("the API's port did not close cleanly: {}", e.getMessage());
    }
    clock.shutdownNow();
    open.forEach(HttpConnection::abort);
    threads.shutdown();
  }
}
