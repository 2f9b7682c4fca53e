package dev.holdfast.image.internal.exchange;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ContentSink;
import dev.holdfast.image.internal.content.ImageContent;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;

/**
 * Reads an image from its first readable copy. If that fails, another copy continues at the same
 * offset.
 */
public final class AnyCopy implements ImageContent {
  private final List<ImageContent> copies;

  /**
   * Reads from copies with the same content.
   *
   * @param copies in the order of the attempts, not empty
   */
  public AnyCopy(List<ImageContent> copies) {
    this.copies = List.copyOf(copies);
  }

  @Override
  public void copyTo(long offset, long length, ContentSink sink) throws StorageException {
    Counted counted = new Counted(sink);
    StorageException failure = null;
    for (ImageContent copy : copies) {
      try {
        copy.copyTo(offset + counted.taken, length - counted.taken, counted);
        return;
      } catch (StorageException e) {
        if (counted.refused) {
          throw e;
        }
        failure = later(failure, e);
      }
    }
    throw failure;
  }

  @Override
  public BitSet dataClusters(long size, int cluster) throws StorageException {
    StorageException failure = null;
    for (ImageContent copy : copies) {
      try {
        return copy.dataClusters(size, cluster);
      } catch (StorageException e) {
        failure = later(failure, e);
      }
    }
    throw failure;
  }

  /** Returns the failure to report. BUSY is preferred, because the caller can try again. */
  private static StorageException later(StorageException earlier, StorageException failure) {
    return earlier != null && earlier.code() == ErrorCode.BUSY ? earlier : failure;
  }

  /**
   * Counts the copied bytes, and distinguishes a failure of the reader from a failure of the copy.
   */
  private static final class Counted implements ContentSink {
    private final ContentSink sink;
    private long taken;
    private boolean refused;

    Counted(ContentSink sink) {
      this.sink = sink;
    }

    @Override
    public void data(ByteBuffer bytes) throws StorageException {
      long count = bytes.remaining();
      refused = true;
      sink.data(bytes);
      refused = false;
      taken += count;
    }

    @Override
    public void zeroes(long length) throws StorageException {
      refused = true;
      sink.zeroes(length);
      refused = false;
      taken += length;
    }
  }
}
