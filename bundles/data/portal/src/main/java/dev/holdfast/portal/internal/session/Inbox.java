package dev.holdfast.portal.internal.session;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.portal.internal.transport.BufferPool;
import dev.holdfast.portal.internal.transport.InputBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The input of one connection. Bytes between {@code start} and {@code end} of the buffer were read
 * but not yet consumed. Used by the connection's thread only.
 */
public final class Inbox {
  private static final int FIRST = 16 << 10;
  private static final int USUAL = 256 << 10;
  private static final int STREAMING = 4 << 20;
  private static final int LEAST_ROOM = 64 << 10;
  private static final int LEAST_ROOM_AT_FIRST = 4 << 10;
  private static final int BATCHES_UNTIL_SMALLER = 1024;

  // Bytes reserved for each received byte of a message: enough for the next buffer size.
  private static final int AHEAD = 3;

  private final BufferPool pool;
  private InputBuffer current;
  private int start;
  private int end;
  private int needed;
  private int smallBatches;
  private boolean begun;
  private boolean streams;
  private boolean enlarged;

  public Inbox(BufferPool pool) {
    this.pool = pool;
  }

  /** Returns whether a part of a message was received. */
  boolean partial() {
    return end > start;
  }

  /** Returns whether the session can make progress with the received bytes. */
  public boolean enough() {
    end = current.buffer().position();
    return end - start >= needed;
  }

  /**
   * Returns the buffer, ready for reading into it. An announced message gets little room at first;
   * the buffer grows as the message arrives. May wait for memory.
   */
  public ByteBuffer target() {
    if (current == null) {
      current = new InputBuffer(pool, FIRST, FIRST);
    }
    ByteBuffer buffer = current.buffer();
    int room = buffer.capacity() < USUAL ? LEAST_ROOM_AT_FIRST : LEAST_ROOM;
    if (current.leased() || tooSmall(buffer, room) || tooBig(buffer)) {
      replace(reserved());
    } else if (start == end) {
      start = 0;
      end = 0;
    } else if (buffer.capacity() - start < Math.max(Math.min(needed, buffer.capacity()), room)
        || buffer.capacity() == end) {
      buffer.limit(end).position(start);
      buffer.compact();
      end -= start;
      start = 0;
    }
    current.buffer().limit(current.buffer().capacity()).position(end);
    return current.buffer();
  }

  private boolean tooSmall(ByteBuffer buffer, int room) {
    int capacity = buffer.capacity();
    boolean filledFirst = capacity < USUAL && end == capacity;
    boolean filled = needed > capacity && end - start + room > capacity;
    boolean streamsNow = streams && needed > USUAL && !enlarged && capacity < STREAMING;
    return filledFirst || filled || streamsNow || capacity < Math.min(needed, USUAL);
  }

  // Reserves room for a part of an announced message, and more when that part has arrived. A
  // connection that sent a large message before gets the room for the next one immediately.
  private int reserved() {
    int sure = streams ? STREAMING : USUAL;
    return Math.min(needed, Math.max(sure, AHEAD * Math.min(end - start, needed / AHEAD + 1)));
  }

  /** Takes bytes that were read before the session existed. */
  void begin(ByteBuffer read) {
    target().put(read);
    end = current.buffer().position();
    begun = true;
  }

  /** Returns whether bytes from before the session exist that it has not seen yet. */
  boolean tookBegun() {
    boolean took = begun;
    begun = false;
    return took;
  }

  /** Passes the received bytes to the session. */
  public void offer(FrontendSession session) throws IOException {
    ByteBuffer buffer = current.buffer();
    int from = start;
    buffer.limit(end).position(start);
    needed = session.received(buffer);
    start = buffer.position();
    if (needed > FrontendConnection.MAXIMUM_INPUT) {
      throw new IOException("a message of " + needed + " bytes is more than a client may send");
    }
    if (start == 0 && end == buffer.capacity() && needed <= end) {
      throw new IllegalStateException("the session consumes no byte of a full input buffer");
    }
    streams |= start - from > USUAL;
    smallBatches = needed > USUAL ? 0 : smallBatches + 1;
    streams &= smallBatches <= BATCHES_UNTIL_SMALLER;
  }

  public InputLease retain() {
    current.retain();
    return current;
  }

  public void close() {
    if (current != null) {
      current.release();
      current = null;
    }
  }

  private boolean tooBig(ByteBuffer buffer) {
    return smallBatches > BATCHES_UNTIL_SMALLER
        && buffer.capacity() > 2 * USUAL
        && end - start < USUAL - LEAST_ROOM;
  }

  private void replace(int wanted) {
    int least = Math.max(Math.max(wanted, USUAL), end - start);
    enlarged = streams && wanted > USUAL;
    InputBuffer next = new InputBuffer(pool, least, enlarged ? Math.max(least, STREAMING) : least);
    ByteBuffer rest = current.buffer();
    rest.limit(end).position(start);
    next.buffer().put(rest);
    current.release();
    current = next;
    end -= start;
    start = 0;
  }
}
