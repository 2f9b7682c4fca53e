package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Takes the bytes of an image in their order. It may hold the beginning of the image from an
 * earlier transfer; a source that cannot prove that this is the beginning of the same image calls
 * {@link #restart}. For the thread of the transfer.
 */
@ProviderType
public interface ImageSink {

  /** Returns how many bytes it holds: the next one written has this position. */
  long position();

  /**
   * Returns the mark that was set when the bytes it holds were delivered.
   *
   * @return empty when none was set, never null
   */
  Optional<String> mark();

  /**
   * Forgets all bytes and sets a mark for those that follow.
   *
   * @param mark by which a later transfer recognizes the same image, such as a strong entity tag;
   *     empty when none exists, not null
   * @throws StorageException IO
   */
  void restart(Optional<String> mark) throws StorageException;

  /**
   * Declares that the bytes are those of the disk itself. Without that the platform looks at their
   * beginning and reads them as an image file of the format that it finds. Called before the first
   * byte of each transfer.
   */
  void takeAsDisk();

  /**
   * Announces the number of bytes of the whole image.
   *
   * @param bytes at least 0
   * @throws StorageException INVALID when the image is larger than the limit; NO_SPACE when the
   *     disk cannot hold it
   */
  void total(long bytes) throws StorageException;

  /**
   * Takes the next bytes.
   *
   * @param bytes all remaining ones are taken, not null
   * @throws StorageException INVALID when there are more than the limit or than were announced;
   *     NO_SPACE; IO; TIMEOUT when the transfer was ended
   */
  void write(ByteBuffer bytes) throws StorageException;

  /**
   * Takes zeroes as the next bytes; they need not occupy space.
   *
   * @param length how many
   * @throws StorageException as {@link #write}
   */
  void zeroes(long length) throws StorageException;
}
