package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.nbd.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads a replica's replies. One read takes many replies; the rest of a large reply is read
 * directly into the buffer of its request. Used by the loop's thread only.
 */
final class DataReplies {
  private static final int HEADER = 16;
  private static final int STRAIGHT = 16 << 10;

  private final DataConnection connection;
  private final DataSocket socket;
  private final BufferCache<ByteBuffer> inputs;
  // Allocated only while it holds the beginning of a reply.
  private ByteBuffer input;
  private DataRequest straight;
  private ByteBuffer straightTarget;

  DataReplies(DataConnection connection, DataSocket socket, BufferCache<ByteBuffer> inputs) {
    this.connection = connection;
    this.socket = socket;
    this.inputs = inputs;
  }

  /** Reads the available replies. Returns false at the end of the stream. */
  boolean take() throws IOException {
    while (!connection.dead()) {
      int count = straight == null ? readInput() : readStraight();
      if (count <= 0) {
        return count == 0;
      }
    }
    return true;
  }

  private int readStraight() throws IOException {
    int count = socket.read(straightTarget);
    if (count > 0 && !straightTarget.hasRemaining()) {
      DataRequest request = straight;
      straight = null;
      straightTarget = null;
      connection.complete(request, 0);
    }
    return count;
  }

  private int readInput() throws IOException {
    if (input == null) {
      input = inputs.take();
    } else {
      input.compact();
    }
    int room = input.remaining();
    int count = socket.read(input);
    input.flip();
    parse();
    if (!input.hasRemaining()) {
      inputs.give(input);
      input = null;
    }
    // A read that did not fill the buffer has emptied the socket; the selector reports further
    // input.
    boolean emptied = count < room && straight == null && !socket.readsAhead();
    return count > 0 && emptied ? 0 : count;
  }

  private void parse() throws IOException {
    while (input.remaining() >= HEADER && !connection.dead()) {
      int start = input.position();
      if (input.getInt(start) != Wire.SIMPLE_REPLY_MAGIC) {
        throw new IOException("the node answered with an invalid reply");
      }
      int error = input.getInt(start + 4);
      DataRequest request = connection.find(input.getLong(start + 8));
      if (request == null) {
        throw new IOException("the node answered an unknown request");
      }
      if (error != 0 || !request.reads()) {
        input.position(start + HEADER);
        connection.complete(request, error);
      } else if (input.remaining() - HEADER >= request.length) {
        request.buffer.put(request.position, input, start + HEADER, request.length);
        input.position(start + HEADER + request.length);
        connection.complete(request, 0);
      } else if (request.length > STRAIGHT) {
        input.position(start + HEADER);
        straight = request;
        straightTarget =
            request
                .buffer
                .duplicate()
                .clear()
                .limit(request.position + request.length)
                .position(request.position);
        straightTarget.put(input);
        return;
      } else {
        return;
      }
    }
  }
}
