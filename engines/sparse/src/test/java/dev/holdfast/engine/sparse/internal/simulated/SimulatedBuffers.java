package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.block.UnreturnedMemory;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The buffers of clients, as in a portal. The buffer of a request belongs to another client as soon
 * as the request is answered, unless the device still holds it.
 */
final class SimulatedBuffers {
  private final Map<Integer, Deque<ByteBuffer>> idle = new HashMap<>();

  /** Returns a buffer with content of another client. */
  ByteBuffer take(int bytes) {
    ByteBuffer buffer = idle.computeIfAbsent(bytes, key -> new ArrayDeque<>()).poll();
    return buffer == null ? spoilt(ByteBuffer.allocate(bytes)) : buffer;
  }

  /** Returns the buffer of an answered request. */
  void give(ByteBuffer buffer) {
    if (!UnreturnedMemory.overlaps(buffer)) {
      idle.get(buffer.capacity()).push(spoilt(buffer));
    }
  }

  private static ByteBuffer spoilt(ByteBuffer buffer) {
    buffer.clear();
    while (buffer.hasRemaining()) {
      buffer.putLong(SimulatedDisk.OTHERS_BYTES);
    }
    return buffer.clear();
  }
}
