package dev.holdfast.image.internal.content;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/** Computes the checksum of content. Bytes beyond its size must be zeroes. */
final class DigestSink implements ContentSink {
  private final long size;
  private final ContentDigest digest;
  private final Progress progress;
  private final BooleanSupplier cancelled;
  private long at;

  /** Receives the number of processed bytes. */
  interface Progress {
    void advanced(long at, long size);
  }

  DigestSink(long size, Progress progress, BooleanSupplier cancelled) {
    this.size = size;
    this.digest = new ContentDigest(size);
    this.progress = progress;
    this.cancelled = cancelled;
  }

  @Override
  public void data(ByteBuffer bytes) throws StorageException {
    int count = bytes.remaining();
    int inside = (int) Math.min(count, Math.max(0, size - at));
    digest.data(bytes.slice(bytes.position(), inside));
    for (int i = bytes.position() + inside; i < bytes.limit(); i++) {
      if (bytes.get(i) != 0) {
        throw new StorageException(
            ErrorCode.INVALID, "there is data behind the " + size + " bytes of the content");
      }
    }
    advance(count);
  }

  @Override
  public void zeroes(long length) throws StorageException {
    digest.zeroes(Math.min(length, Math.max(0, size - at)));
    advance(length);
  }

  private void advance(long length) throws StorageException {
    if (cancelled.getAsBoolean()) {
      throw new StorageException(ErrorCode.TIMEOUT, "the check was ended");
    }
    at += length;
    progress.advanced(Math.min(at, size), size);
  }

  String finish() throws StorageException {
    if (at < size) {
      throw new StorageException(
          ErrorCode.INVALID, "the content has " + at + " of " + size + " bytes");
    }
    return digest.finish();
  }
}
