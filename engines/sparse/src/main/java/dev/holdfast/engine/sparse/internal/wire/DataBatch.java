package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.nbd.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Requests that are sent in one gathered write. Headers and small payloads are copied into one
 * buffer, which costs less than a vector of many small pieces; large payloads are sent from their
 * own buffers.
 */
final class DataBatch {
  private static final int CAPACITY = 512 << 10;
  private static final int COPIED = 16 << 10;
  private static final int HEADER = 28;
  private static final int MOST_PARTS = 64;

  /** Room for the headers of as many requests as one batch can hold. */
  private static final int SMALL_CAPACITY = 2 << 10;

  private final ByteBuffer staging;
  private final int copiedBytes;
  private final ByteBuffer[] stagingViews = new ByteBuffer[MOST_PARTS];
  private final ByteBuffer[] parts = new ByteBuffer[MOST_PARTS];
  private int count;
  private int first;
  private boolean open;

  private DataBatch(int capacity, int copiedBytes) {
    this.staging = ByteBuffer.allocateDirect(capacity);
    this.copiedBytes = copiedBytes;
    for (int i = 0; i < MOST_PARTS; i++) {
      stagingViews[i] = staging.duplicate();
    }
  }

  static DataBatch large() {
    return new DataBatch(CAPACITY, COPIED);
  }

  /** Returns a batch that copies no payload. */
  static DataBatch small() {
    return new DataBatch(SMALL_CAPACITY, 0);
  }

  boolean isLarge() {
    return staging.capacity() == CAPACITY;
  }

  /** Adds a request. Returns false when it does not fit. */
  boolean add(DataRequest request) {
    boolean copied = request.length <= copiedBytes;
    int staged = HEADER + (request.writes() && copied ? request.length : 0);
    if (staging.remaining() < staged || count + 2 > MOST_PARTS) {
      return false;
    }
    ByteBuffer part = openPart();
    staging
        .putInt(Wire.REQUEST_MAGIC)
        .putShort((short) request.flags)
        .putShort((short) request.type)
        .putLong(request.cookie())
        .putLong(request.offset)
        .putInt(request.length);
    if (request.writes() && copied) {
      int at = staging.position();
      staging.put(at, request.buffer, request.position, request.length);
      staging.position(at + request.length);
    }
    part.limit(staging.position());
    if (request.writes() && !copied) {
      parts[count++] =
          request
              .buffer
              .duplicate()
              .limit(request.position + request.length)
              .position(request.position);
      open = false;
    }
    return true;
  }

  private ByteBuffer openPart() {
    if (!open) {
      parts[count] = stagingViews[count].limit(staging.position()).position(staging.position());
      count++;
      open = true;
    }
    return parts[count - 1];
  }

  /** Sends as much as the socket accepts. Returns whether the batch is completely sent. */
  boolean sendTo(DataSocket socket) throws IOException {
    boolean all = socket.write(parts, first, count);
    while (first < count && !parts[first].hasRemaining()) {
      first++;
    }
    return all;
  }

  void clear() {
    for (int i = 0; i < count; i++) {
      parts[i] = null;
    }
    staging.clear();
    count = 0;
    first = 0;
    open = false;
  }
}
