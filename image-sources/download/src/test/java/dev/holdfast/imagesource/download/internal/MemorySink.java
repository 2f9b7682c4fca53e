package dev.holdfast.imagesource.download.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageSink;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Keeps what is delivered, at most a mebibyte. */
final class MemorySink implements ImageSink {
  private static final int LARGEST = 1 << 20;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private Optional<String> mark = Optional.empty();

  byte[] bytes() {
    return bytes.toByteArray();
  }

  @Override
  public void takeAsDisk() {
    // The test looks at the bytes only.
  }

  @Override
  public long position() {
    return bytes.size();
  }

  @Override
  public Optional<String> mark() {
    return mark;
  }

  @Override
  public void restart(Optional<String> newMark) {
    bytes.reset();
    mark = newMark;
  }

  @Override
  public void total(long total) throws StorageException {
    requireLimit(total);
  }

  @Override
  public void write(ByteBuffer source) throws StorageException {
    requireLimit(position() + source.remaining());
    while (source.hasRemaining()) {
      bytes.write(source.get());
    }
  }

  @Override
  public void zeroes(long length) throws StorageException {
    requireLimit(position() + length);
    bytes.writeBytes(new byte[(int) length]);
  }

  private static void requireLimit(long size) throws StorageException {
    if (size > LARGEST) {
      throw new StorageException(ErrorCode.INVALID, "larger than the limit");
    }
  }
}
