package dev.holdfast.engine.sparse.internal.wire;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A socket to a replica's node, in clear or encrypted. While its channel blocks, calls wait for the
 * other side; later they return what can be done at once. One thread reads, one at a time writes.
 */
public interface DataSocket extends Closeable {

  /** Reads what is there. Returns -1 at the end of the stream, 0 when nothing is there now. */
  int read(ByteBuffer target) throws IOException;

  /**
   * Sends as much as the other side takes now.
   *
   * @return whether everything has left, of earlier calls too
   */
  boolean write(ByteBuffer[] sources, int first, int end) throws IOException;

  /** Returns whether bytes may have been read from the channel that {@link #read} did not give. */
  boolean readsAhead();

  /** Returns whether the runtime must answer the other side although no request is to be sent. */
  boolean hasUnsent();
}
