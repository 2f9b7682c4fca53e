package dev.holdfast.engine.sparse.internal.wire;

import java.nio.ByteBuffer;

/**
 * The memory outside the heap that connections to replicas share. A connection on which nothing is
 * under way holds none of it, so that a node can have thousands.
 */
public final class WireBuffers {
  private static final int MOST = 64;
  private static final int MOST_INPUTS = 8;
  private static final int INPUT = 256 << 10;

  /** Sixteen records of TLS, whose largest is 16 KiB and a little. */
  private static final int SEALED = 272 << 10;

  private final Spares<DataBatch> batches = new Spares<>(MOST, DataBatch::new, DataBatch::clear);
  private final Spares<ByteBuffer> inputs = buffers(MOST_INPUTS, INPUT);
  private final Spares<ByteBuffer> sealed = buffers(MOST, SEALED);

  private static Spares<ByteBuffer> buffers(int most, int bytes) {
    return new Spares<>(most, () -> ByteBuffer.allocateDirect(bytes), ByteBuffer::clear);
  }

  Spares<DataBatch> batches() {
    return batches;
  }

  /** Returns buffers for replies. */
  Spares<ByteBuffer> inputs() {
    return inputs;
  }

  /** Returns buffers for records of TLS. */
  Spares<ByteBuffer> sealed() {
    return sealed;
  }
}
