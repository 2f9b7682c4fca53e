package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.image.ImageBackupContent;
import dev.holdfast.backupstore.image.StoredImage;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageSink;
import dev.holdfast.imagesource.ImageTransfer;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Reads the backup of an image. An interrupted transfer resumes if the target still has a backup
 * with the same checksum.
 */
final class ImageRestoreTransfer implements ImageTransfer {
  private final InstalledTargets targets;
  private final TargetAccess access;
  private final String image;
  private volatile boolean closed;

  ImageRestoreTransfer(InstalledTargets targets, TargetAccess access, String image) {
    this.targets = targets;
    this.access = access;
    this.image = image;
  }

  @Override
  public void run(ImageSink sink) throws StorageException {
    try (ObjectStore store = targets.open(access);
        ImageBackupContent content =
            ImageBackupContent.open(store, image, targets.options().timing())) {
      StoredImage.Summary summary = content.image().summary();
      Optional<String> mark = Optional.of(summary.checksum()).filter(text -> !text.isEmpty());
      if (mark.isEmpty() || !sink.mark().equals(mark) || sink.position() > summary.sizeBytes()) {
        sink.restart(mark);
      }
      if (!summary.contentChecksum().isEmpty()) {
        // Longhorn backs up the delivered file, which may be qcow2. Holdfast backs up the disk.
        sink.takeAsDisk();
      }
      sink.total(summary.sizeBytes());
      content.copyTo(sink.position(), new Passing(sink));
    }
  }

  /** Forwards content until the transfer is closed. */
  private final class Passing implements ImageBackupContent.Sink {
    private final ImageSink sink;

    Passing(ImageSink sink) {
      this.sink = sink;
    }

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

    private void requireOpen() throws StorageException {
      if (closed) {
        throw new StorageException(ErrorCode.TIMEOUT, "image " + image + ": its restore was ended");
      }
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
