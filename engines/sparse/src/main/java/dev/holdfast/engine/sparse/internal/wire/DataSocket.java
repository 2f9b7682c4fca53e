package dev.holdfast.engine.sparse.internal.wire;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A socket to a replica's node, plain or encrypted. While its channel is blocking, calls wait for
 * the other side; later they do what is possible immediately. One thread reads, and one at a time
 * writes.
 */
public interface DataSocket extends Closeable {

  /**
   * Reads the available bytes. Returns -1 at the end of the stream, 0 when no bytes are available.
   */
  int read(ByteBuffer target) throws IOException;

  /**
   * Sends as much as the other side accepts now.
   *
   * @return whether all bytes were sent, including those of earlier calls
   */
  boolean write(ByteBuffer[] sources, int first, int end) throws IOException;

  /**
   * Returns whether bytes may have been read from the channel that {@link #read} has not returned
   * yet.
   */
  boolean readsAhead();

  /** Returns whether bytes must be sent although no request is pending, as TLS may require. */
  boolean hasUnsent();
}
