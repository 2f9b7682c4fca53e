package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** A raw image: its bytes are those of the disk. */
final class RawDisk implements VirtualDisk {
  private final ImageBytes bytes;
  private final boolean owner;

  private RawDisk(ImageBytes bytes, boolean owner) {
    this.bytes = bytes;
    this.owner = owner;
  }

  static RawDisk open(ImageBytes bytes, long largestSize) throws StorageException {
    DiskImages.requireSize(bytes.name(), bytes.size(), largestSize);
    return new RawDisk(bytes, true);
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
  public VirtualDisk another() {
    return new RawDisk(bytes, false);
  }

  @Override
  public void close() {
    if (owner) {
      bytes.close();
    }
  }
}
