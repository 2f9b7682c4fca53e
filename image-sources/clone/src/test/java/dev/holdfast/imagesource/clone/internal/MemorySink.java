package dev.holdfast.imagesource.clone.internal;

import dev.holdfast.imagesource.ImageSink;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Takes an image into memory. */
final class MemorySink implements ImageSink {
  final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  long total;
  long holes;

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
    return Optional.empty();
  }

  @Override
  public void restart(Optional<String> mark) {
    bytes.reset();
    holes = 0;
  }

  @Override
  public void total(long count) {
    total = count;
  }

  @Override
  public void write(ByteBuffer piece) {
    byte[] copied = new byte[piece.remaining()];
    piece.get(copied);
    bytes.writeBytes(copied);
  }

  @Override
  public void zeroes(long length) {
    bytes.writeBytes(new byte[Math.toIntExact(length)]);
    holes += length;
  }
}
