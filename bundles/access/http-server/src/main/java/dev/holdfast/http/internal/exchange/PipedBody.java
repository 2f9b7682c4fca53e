package dev.holdfast.http.internal.exchange;

import io.netty.buffer.ByteBuf;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A buffer between the event loop, which writes the body, and the thread that reads it as a stream.
 * When the buffer is full, the client is not read until the reader has made room.
 */
final class PipedBody extends InputStream implements RequestBodySink {
  private final int capacity;
  private final Duration limit;
  private final Runnable readMore;
  private final Runnable late;
  private final Deque<ByteBuf> pieces = new ArrayDeque<>();
  private int buffered;
  private boolean full;
  private boolean ended;
  private boolean failed;
  private boolean abandoned;

  /**
   * Creates an empty buffer.
   *
   * @param capacity number of buffered bytes at which reading from the client pauses
   * @param limit longest wait of a reader
   * @param readMore resumes reading from the client, from any thread
   * @param late ends the connection of a slow client, from any thread
   */
  PipedBody(int capacity, Duration limit, Runnable readMore, Runnable late) {
    this.capacity = capacity;
    this.limit = limit;
    this.readMore = readMore;
    this.late = late;
  }

  @Override
  public synchronized void take(ByteBuf bytes) {
    if (abandoned || failed) {
      return;
    }
    buffered += bytes.readableBytes();
    pieces.add(bytes.retain());
    full = buffered >= capacity;
    notifyAll();
  }

  @Override
  public synchronized void end() {
    ended = true;
    notifyAll();
  }

  @Override
  public synchronized void fail() {
    failed = true;
    drop();
    notifyAll();
  }

  @Override
  public synchronized boolean wantsMore() {
    return !full;
  }

  /** Discards the rest of the body, which the reader does not need. */
  synchronized void abandon() {
    abandoned = true;
    drop();
  }

  private void drop() {
    pieces.forEach(ByteBuf::release);
    pieces.clear();
    buffered = 0;
    full = false;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    boolean hasRoomAgain;
    int count;
    synchronized (this) {
      await();
      if (failed) {
        throw new EOFException("the client disconnected before its request was complete");
      } else if (pieces.isEmpty()) {
        return -1;
      }
      ByteBuf first = pieces.element();
      count = Math.min(length, first.readableBytes());
      first.readBytes(target, offset, count);
      if (!first.isReadable()) {
        pieces.remove().release();
      }
      buffered -= count;
      hasRoomAgain = full && buffered <= capacity / 2;
      full &= !hasRoomAgain;
    }
    if (hasRoomAgain) {
      readMore.run();
    }
    return count;
  }

  private void await() throws IOException {
    long end = System.nanoTime() + limit.toNanos();
    while (pieces.isEmpty() && !ended && !failed) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        late.run();
        throw new IOException("the client sent nothing for " + limit.toSeconds() + " s");
      }
      try {
        // At least one millisecond, because zero would wait indefinitely.
        wait(1 + left / 1_000_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while a client's bytes were awaited");
      }
    }
  }

  @Override
  public synchronized int available() {
    return buffered;
  }
}
