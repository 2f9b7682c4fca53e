package dev.holdfast.portal.internal.transport;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Bytes in and out, in clear or encrypted. One thread reads; one thread at a time writes. */
public interface Transport extends Closeable {

  /** Reads at least one byte, waiting for it. Returns -1 at the end of the stream. */
  int read(ByteBuffer target) throws IOException;

  /** Writes all remaining bytes of the first {@code count} buffers, waiting for the client. */
  void write(ByteBuffer[] sources, int count) throws IOException;

  /**
   * Changes to a transport to the same client that can be written to without waiting, if there is
   * one; this one is unused then. No thread may read or write during the call.
   */
  Optional<NonBlockingTransport> prompt() throws IOException;

  /** Returns how many bytes of direct memory it holds until it is closed. */
  default int directBytes() {
    return 0;
  }
}
