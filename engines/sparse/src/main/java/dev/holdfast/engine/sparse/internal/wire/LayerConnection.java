package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nbd.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The bytes of one layer over a separate connection, one request after the other, so that large
 * requests do not delay those of clients. Not used again after a failure.
 */
public final class LayerConnection implements LayerBytes {
  private static final int HEADER = 28;
  private static final int REPLY = 16;

  private final String what;
  private final DataSocket socket;
  private final ScheduledExecutorService clock;
  private final Duration timeout;
  private final Runnable whenClosed;
  private final ByteBuffer header = ByteBuffer.allocateDirect(HEADER);
  private final ByteBuffer reply = ByteBuffer.allocateDirect(REPLY);
  private long cookie;

  /**
   * Uses a blocking socket whose handshake is complete.
   *
   * @param timeout time after which an unanswered request fails
   * @param whenClosed called when the connection is closed
   */
  public LayerConnection(
      String what,
      DataSocket socket,
      ScheduledExecutorService clock,
      Duration timeout,
      Runnable whenClosed) {
    this.what = what;
    this.socket = socket;
    this.clock = clock;
    this.timeout = timeout;
    this.whenClosed = whenClosed;
  }

  /** Action with a deadline. */
  @FunctionalInterface
  private interface Exchange {
    void run() throws IOException, StorageException;
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    inTime(
        () -> {
          send(Wire.CMD_READ, offset, target.remaining(), new ByteBuffer[] {header});
          awaitReply();
          fill(target);
        });
  }

  @Override
  public void write(long offset, ByteBuffer source) throws StorageException {
    inTime(
        () -> {
          send(Wire.CMD_WRITE, offset, source.remaining(), new ByteBuffer[] {header, source});
          awaitReply();
        });
  }

  private void inTime(Exchange exchange) throws StorageException {
    ScheduledFuture<?> limit;
    try {
      limit = clock.schedule(this::sever, timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      throw new StorageException(ErrorCode.UNREACHABLE, what + ": the transport has stopped", e);
    }
    try {
      exchange.run();
    } catch (IOException e) {
      sever();
      throw new StorageException(ErrorCode.UNREACHABLE, what + ": " + e.getMessage(), e);
    } finally {
      limit.cancel(false);
    }
  }

  private void send(int type, long offset, int length, ByteBuffer[] parts) throws IOException {
    cookie++;
    header.clear();
    header.putInt(Wire.REQUEST_MAGIC).putShort((short) 0).putShort((short) type);
    header.putLong(cookie).putLong(offset).putInt(length).flip();
    if (!socket.write(parts, 0, parts.length)) {
      throw new IOException("the connection accepts no further request");
    }
  }

  private void awaitReply() throws IOException, StorageException {
    fill(reply.clear());
    reply.flip();
    if (reply.getInt() != Wire.SIMPLE_REPLY_MAGIC) {
      throw new IOException("the node answered with an invalid reply");
    }
    int error = reply.getInt();
    if (reply.getLong() != cookie) {
      throw new IOException("the node answered an unknown request");
    }
    if (error != 0) {
      throw new StorageException(DataErrors.of(error), what + " failed with error " + error);
    }
  }

  private void fill(ByteBuffer target) throws IOException {
    while (target.hasRemaining()) {
      if (socket.read(target) < 0) {
        throw new IOException("the node closed the connection");
      }
    }
  }

  /** Ends a request that waits for the other side. Any thread may call this. */
  public void sever() {
    try {
      socket.close();
    } catch (IOException e) {
      // The connection is abandoned either way.
    }
  }

  @Override
  public void close() {
    sever();
    whenClosed.run();
  }
}
