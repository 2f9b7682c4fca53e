package dev.holdfast.engine.sparse.internal.wire;

import java.nio.ByteBuffer;

/**
 * Off-heap memory that connections to replicas share: at most 57 MiB, plus 102 KiB for each
 * connection beyond that with bytes in transit. An idle connection holds none of it, so that a node
 * can have thousands.
 */
public final class WireBuffers {
  private static final int MOST = 64;
  private static final int MOST_INPUTS = 32;
  private static final int INPUT = 256 << 10;

  /** Room for replies that are not read directly into the request's buffer. */
  private static final int SMALL_INPUT = 32 << 10;

  /** Sixteen TLS records of slightly more than 16 KiB. */
  private static final int SEALED = 272 << 10;

  private static final int SMALL_SEALED = 34 << 10;

  private final BufferCache<DataBatch> batches =
      new BufferCache<>(
          MOST,
          new BufferCache.Kind<>(
              DataBatch::large, DataBatch::small, DataBatch::isLarge, DataBatch::clear));
  private final BufferCache<ByteBuffer> inputs = buffers(MOST_INPUTS, INPUT, SMALL_INPUT);
  private final BufferCache<ByteBuffer> sealed = buffers(MOST, SEALED, SMALL_SEALED);

  private static BufferCache<ByteBuffer> buffers(int most, int bytes, int fewest) {
    return new BufferCache<>(
        most,
        new BufferCache.Kind<>(
            () -> ByteBuffer.allocateDirect(bytes),
            () -> ByteBuffer.allocateDirect(fewest),
            buffer -> buffer.capacity() == bytes,
            ByteBuffer::clear));
  }

  BufferCache<DataBatch> batches() {
    return batches;
  }

  /** Returns buffers for replies. */
  BufferCache<ByteBuffer> inputs() {
    return inputs;
  }

  /** Returns buffers for records of TLS. */
  BufferCache<ByteBuffer> sealed() {
    return sealed;
  }
}
