package dev.holdfast.engine.spdk.internal;

import dev.holdfast.engine.testkit.HostConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A host that reconnects when the connection ends, and repeats unanswered requests for a limited
 * time, as the kernel does.
 */
final class ReconnectingHost implements HostConnection {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Source source;
  private HostConnection present;
  private int connections = 1;

  /** Opens connections. */
  interface Source {
    HostConnection connect() throws IOException;
  }

  ReconnectingHost(Source source) throws IOException {
    this.source = source;
    this.present = source.connect();
  }

  /** Returns the number of connections so far. */
  int connections() {
    return connections;
  }

  /** A request. */
  private interface Request<T> {
    T run(HostConnection connection) throws IOException;
  }

  private <T> T answered(Request<T> request) throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return request.run(present);
      } catch (IOException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
        reconnect(end);
      }
    }
  }

  private void reconnect(long end) throws IOException {
    present.close();
    while (true) {
      try {
        present = source.connect();
        connections++;
        return;
      } catch (IOException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
        LockSupport.parkNanos(20_000_000);
      }
    }
  }

  @Override
  public long size() {
    return present.size();
  }

  @Override
  public byte[] read(long offset, int length) throws IOException {
    return answered(connection -> connection.read(offset, length));
  }

  @Override
  public void write(long offset, byte[] content) throws IOException {
    boolean unused =
        answered(
            connection -> {
              connection.write(offset, content);
              return true;
            });
  }

  @Override
  public void flush() throws IOException {
    boolean unused =
        answered(
            connection -> {
              connection.flush();
              return true;
            });
  }

  @Override
  public void close() {
    present.close();
  }
}
