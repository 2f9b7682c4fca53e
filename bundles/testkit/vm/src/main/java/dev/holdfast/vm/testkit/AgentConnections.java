package dev.holdfast.vm.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Connections from the agent that wait for a command. Thread-safe. */
final class AgentConnections implements AutoCloseable {
  private static final int GREETING_MILLIS = 10_000;
  private static final int LOOK_MILLIS = 100;

  private final ServerSocket server;
  private final String word = UUID.randomUUID().toString();
  private final BlockingQueue<Socket> waiting = new LinkedBlockingQueue<>();
  private volatile boolean closed;

  AgentConnections() throws IOException {
    server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    Thread acceptor = new Thread(this::accept, "holdfast-vm-agent");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  int port() {
    return server.getLocalPort();
  }

  /** Returns the word by which the agent is known. */
  String word() {
    return word;
  }

  private void accept() {
    while (!closed) {
      try {
        Socket socket = server.accept();
        if (isAgent(socket)) {
          waiting.add(socket);
          if (closed) {
            closeWaiting();
          }
        } else {
          socket.close();
        }
      } catch (IOException e) {
        // the server was closed, or one connection failed and the agent opens another one
      }
    }
  }

  private boolean isAgent(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(GREETING_MILLIS);
    InputStream input = socket.getInputStream();
    byte[] greeting = input.readNBytes(word.length() + 1);
    return new String(greeting, StandardCharsets.US_ASCII).equals(word + "\n");
  }

  /** Waits for a connection; empty if the machine has ended or the time has expired. */
  Optional<AgentConnection> take(Duration patience, BooleanSupplier isAlive)
      throws StorageException {
    long deadline = System.nanoTime() + patience.toNanos();
    try {
      while (!closed && isAlive.getAsBoolean() && System.nanoTime() < deadline) {
        Socket socket = waiting.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        if (socket != null) {
          return Optional.of(new AgentConnection(socket));
        }
      }
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, "virtual machine: interrupted", e);
    }
  }

  /** Ends the agent. */
  @Override
  public void close() {
    closed = true;
    try {
      server.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    closeWaiting();
  }

  private void closeWaiting() {
    for (Socket socket = waiting.poll(); socket != null; socket = waiting.poll()) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
