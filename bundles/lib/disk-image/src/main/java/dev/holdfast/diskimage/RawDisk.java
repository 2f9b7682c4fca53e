package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** An image that is the disk. */
final class RawDisk implements VirtualDisk {
  private final ImageBytes bytes;

  RawDisk(ImageBytes bytes, long largestSize) throws StorageException {
    DiskImages.requireSize(bytes.name(), bytes.size(), largestSize);
    this.bytes = bytes;
  }

  @Override
  public ImageFormat format() {
    return ImageFormat.RAW;
  }

  @Override
  public long size() {
    return bytes.size();
  }

  @Override
  public Run run(long offset) {
    return new Run(bytes.size() - offset, false);
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    bytes.read(offset, target);
  }

  @Override
  public void close() {
    bytes.close();
  }
}
