package dev.holdfast.portal.internal.listen;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts the connections of one listening socket on its own thread. Thread-safe. */
final class AcceptLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AcceptLoop.class);
  private static final long PAUSE_MILLIS = 100;

  private final String name;
  private final ServerSocketChannel server;
  private final Admission admission;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Receives an accepted connection. */
  @FunctionalInterface
  interface Admission {
    /** Serves the connection or closes it. */
    void admit(SocketChannel channel) throws IOException;
  }

  AcceptLoop(String name, ServerSocketChannel server, Admission admission) {
    this.name = name;
    this.server = server;
    this.admission = admission;
  }

  void start() {
    Thread acceptor = new Thread(this::accept, name);
    acceptor.setDaemon(true);
    acceptor.start();
  }

  private void accept() {
    while (!closed()) {
      try {
        admission.admit(server.accept());
      } catch (IOException e) {
        if (!closed()) {
          LOG.warn("{}: could not accept a connection: {}", name, e.getMessage());
          pauseAfterFailure();
        }
      }
    }
  }

  private boolean closed() {
    return stopped.getCount() == 0;
  }

  /** Pauses, so that a lasting failure (no file descriptors) does not become a busy loop. */
  private void pauseAfterFailure() {
    try {
      boolean unused = stopped.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    stopped.countDown();
    try {
      server.close();
    } catch (IOException e) {
      LOG.warn("{}: the listener did not close cleanly: {}", name, e.getMessage());
    }
  }
}
