package dev.holdfast.portal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableFrontend;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.SessionState;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A replaceable protocol. A message is one letter; the reply is a line with the frontend's version
 * and the number of messages on this connection. {@code a} attaches, {@code l} makes the session
 * loop until it is released, {@code x} makes it fail when it is stopped, {@code t} immediately.
 */
final class CountingFrontend implements ReplaceableFrontend {
  private final String version;
  private final CountDownLatch looping = new CountDownLatch(1);
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private volatile boolean released;

  CountingFrontend(String version) {
    this.version = version;
  }

  /** Returns the threads on which its sessions were called. */
  Set<Thread> threads() {
    return threads;
  }

  void awaitLoop() throws InterruptedException {
    looping.await();
  }

  void release() {
    released = true;
  }

  @Override
  public String name() {
    return "echo";
  }

  @Override
  public int defaultPort() {
    return 7;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    return URI.create("echo://" + host + ":" + port + "/" + export);
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return new Session(connection, 0);
  }

  @Override
  public FrontendSession resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    state.requireReadable("counting", 1);
    return new Session(connection, state.number("count", 0));
  }

  private final class Session implements ReplaceableSession {
    private final FrontendConnection connection;
    private long count;
    private boolean failing;

    Session(FrontendConnection connection, long count) {
      this.connection = connection;
      this.count = count;
    }

    @Override
    public int received(ByteBuffer input) {
      threads.add(Thread.currentThread());
      while (input.hasRemaining()) {
        take((char) input.get());
      }
      return 1;
    }

    private void take(char letter) {
      count++;
      switch (letter) {
        case 'a' -> connection.export().attach("a");
        case 'x' -> failing = true;
        case 't' -> throw new IllegalStateException("the test wants it");
        case 'l' -> {
          looping.countDown();
          while (!released) {
            Thread.onSpinWait();
          }
        }
        default -> {
          // Counted only.
        }
      }
      Reply reply = connection.reply(64);
      reply.buffer().put((version + " " + count + "\n").getBytes(StandardCharsets.US_ASCII));
      reply.send();
    }

    @Override
    public void stop(Runnable stopped) {
      if (failing) {
        throw new IllegalStateException("the test wants it");
      }
      stopped.run();
    }

    @Override
    public SessionState state() {
      return new SessionState("counting", 1, 1, Map.of("count", String.valueOf(count)));
    }
  }
}
