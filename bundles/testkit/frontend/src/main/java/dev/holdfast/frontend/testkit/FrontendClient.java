package dev.holdfast.frontend.testkit;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A small client of the protocol. Requests are sent at once and may be in flight together; a
 * rejected request completes with {@link RequestFailedException}, a lost connection with another
 * {@link IOException}.
 */
public interface FrontendClient extends AutoCloseable {

  /**
   * Reads.
   *
   * @param offset first byte
   * @param length in bytes
   */
  CompletableFuture<byte[]> read(long offset, int length);

  /**
   * Writes.
   *
   * @param offset first byte
   * @param data not null
   * @param durable whether the data must be durable before the answer (FUA)
   */
  CompletableFuture<Void> write(long offset, byte[] data, boolean durable);

  /** Makes written data durable. */
  CompletableFuture<Void> flush();

  /**
   * Writes zeroes.
   *
   * @param offset first byte
   * @param length in bytes
   */
  CompletableFuture<Void> writeZeroes(long offset, int length);

  /** Closes the connection without a message of the protocol. */
  @Override
  void close() throws IOException;
}
