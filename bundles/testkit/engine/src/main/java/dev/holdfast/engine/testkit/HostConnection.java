package dev.holdfast.engine.testkit;

import java.io.IOException;

/** A host's connection to a native export. Calls block and are for one thread. */
public interface HostConnection extends AutoCloseable {

  /** Returns the size of the export in bytes, as the server reported it. */
  long size();

  /**
   * Reads.
   *
   * @param offset first byte
   * @param length in bytes, at most 1 MiB
   * @return the bytes, never null
   * @throws IOException when the server reports an error or disconnects
   */
  byte[] read(long offset, int length) throws IOException;

  /**
   * Writes.
   *
   * @param offset first byte
   * @param content the bytes, at most 1 MiB, not null
   * @throws IOException when the server reports an error or disconnects
   */
  void write(long offset, byte[] content) throws IOException;

  /**
   * Flushes.
   *
   * @throws IOException when the server reports an error or disconnects
   */
  void flush() throws IOException;

  /** Disconnects; requests in flight may fail. For any thread. Idempotent. */
  @Override
  void close();
}
