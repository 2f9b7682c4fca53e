package dev.holdfast.portal.internal.transport;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Transfers bytes, plain or encrypted. One thread reads; one thread at a time writes. */
public interface Transport extends Closeable {

  /** Reads at least one byte, waiting for it. Returns -1 at the end of the stream. */
  int read(ByteBuffer target) throws IOException;

  /** Writes all remaining bytes of the first {@code count} buffers, waiting for the client. */
  void write(ByteBuffer[] sources, int count) throws IOException;

  /**
   * Changes to a transport to the same client whose writes never wait, if one exists; this one must
   * not be used then. No thread may read or write during the call.
   */
  Optional<NonBlockingTransport> prompt() throws IOException;

  /** Returns the bytes of direct memory that it holds until it is closed. */
  default int directBytes() {
    return 0;
  }
}
