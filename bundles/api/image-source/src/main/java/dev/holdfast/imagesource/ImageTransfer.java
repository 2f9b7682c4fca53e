package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** One transfer of an image's bytes. */
@ConsumerType
public interface ImageTransfer extends AutoCloseable {
  /**
   * Delivers the bytes and returns when the sink has received all of them. Called once, on a thread
   * that may block.
   *
   * @param sink receives the bytes; may contain the start from an earlier transfer, not null
   * @throws StorageException when the bytes are unavailable; UNREACHABLE, TIMEOUT and IO when
   *     another attempt may succeed; exceptions of the sink
   */
  void run(ImageSink sink) throws StorageException;

  /** Ends the transfer from any thread; {@link #run} then fails soon. Idempotent. */
  @Override
  void close();
}
