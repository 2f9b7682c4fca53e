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
  private final ImageRequest request;
  private final String original;
  private volatile boolean closed;

  ImageCloneTransfer(ImageRequest request, String original) {
    this.request = request;
    this.original = original;
  }

  @Override
  public void run(ImageSink sink) throws StorageException {
    sink.restart(Optional.empty());
    try (SourceDisk disk = request.disks().image(original)) {
      sink.total(disk.size());
      disk.copy(
          0,
          disk.size(),
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
