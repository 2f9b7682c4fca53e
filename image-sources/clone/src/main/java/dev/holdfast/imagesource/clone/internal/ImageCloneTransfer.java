package dev.holdfast.imagesource.clone.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSink;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceDisk;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Copies another image, raw. */
final class ImageCloneTransfer implements ImageTransfer {
  /** How the content of the other image becomes that of the clone. */
  @FunctionalInterface
  interface Conversion {
    /**
     * Delivers the whole content.
     *
     * @param disk the other image
     * @param total takes the number of bytes before the first one
     * @param target takes the bytes
     */
    void run(SourceDisk disk, Total total, SourceDisk.Target target) throws StorageException;
  }

  /** Takes the number of bytes of a clone. */
  @FunctionalInterface
  interface Total {
    void announce(long bytes) throws StorageException;
  }

  private final ImageRequest request;
  private final String original;
  private final Conversion conversion;
  private volatile boolean closed;

  ImageCloneTransfer(ImageRequest request, String original, Conversion conversion) {
    this.request = request;
    this.original = original;
    this.conversion = conversion;
  }

  /** Copies the content as it is. */
  static void copy(SourceDisk disk, Total total, SourceDisk.Target target) throws StorageException {
    total.announce(disk.size());
    disk.copy(0, disk.size(), target);
  }

  @Override
  public void run(ImageSink sink) throws StorageException {
    sink.restart(Optional.empty());
    sink.takeAsDisk();
    try (SourceDisk disk = request.disks().image(original)) {
      conversion.run(
          disk,
          sink::total,
          new SourceDisk.Target() {
            @Override
            public void data(ByteBuffer bytes) throws StorageException {
              requireOpen();
              sink.write(bytes);
            }

            @Override
            public void zeroes(long length) throws StorageException {
              requireOpen();
              sink.zeroes(length);
            }
          });
    }
  }

  private void requireOpen() throws StorageException {
    if (closed) {
      throw new StorageException(
          ErrorCode.TIMEOUT, "image " + request.image() + ": the copy was ended");
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
