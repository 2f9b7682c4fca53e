package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Receives the bytes of an image in order. The sink may contain the start of the image from an
 * earlier transfer. A source that cannot prove that this start belongs to the same image calls
 * {@link #restart}. For the thread of the transfer.
 */
@ProviderType
public interface ImageSink {

  /** Returns the number of bytes in the sink, which is the position of the next byte. */
  long position();

  /**
   * Returns the mark of the bytes in the sink.
   *
   * @return empty if no mark was set, never null
   */
  Optional<String> mark();

  /**
   * Discards all bytes and sets a mark for the following bytes.
   *
   * @param mark by which a later transfer recognizes the same image, such as a strong entity tag;
   *     empty when none exists, not null
   * @throws StorageException IO
   */
  void restart(Optional<String> mark) throws StorageException;

  /**
   * Declares that the bytes are the raw content of the disk. Otherwise the platform detects the
   * format of the image file from its first bytes. Called before the first byte of each transfer.
   */
  void takeAsDisk();

  /**
   * Announces the number of bytes of the complete image.
   *
   * @param bytes at least 0
   * @throws StorageException INVALID when the image is larger than the limit; NO_SPACE when the
   *     disk cannot hold it
   */
  void total(long bytes) throws StorageException;

  /**
   * Receives the next bytes.
   *
   * @param bytes the sink takes all remaining bytes; not null
   * @throws StorageException INVALID when the bytes exceed the limit or the announced number;
   *     NO_SPACE; IO; TIMEOUT when the transfer was ended
   */
  void write(ByteBuffer bytes) throws StorageException;

  /**
   * Receives zeroes as the next bytes; they need not occupy space.
   *
   * @param length number of zeroes
   * @throws StorageException as {@link #write}
   */
  void zeroes(long length) throws StorageException;
}
