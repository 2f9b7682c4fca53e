package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.image.ImageSource;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.SourceDisk;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** Content of an image for a backup. Admits one reading thread at a time. */
final class DiskBytes implements ImageSource {
  private final SourceDisk disk;

  DiskBytes(SourceDisk disk) {
    this.disk = disk;
  }

  @Override
  public long sizeBytes() {
    return disk.size();
  }

  @Override
  public synchronized BitSet dataBlocks(int blockSize) throws StorageException {
    return disk.dataClusters(blockSize);
  }

  @Override
  public synchronized void read(long offset, ByteBuffer target) throws StorageException {
    disk.copy(
        offset,
        target.remaining(),
        new SourceDisk.Target() {
          @Override
          public void data(ByteBuffer bytes) {
            target.put(bytes);
          }

          @Override
          public void zeroes(long length) {
            for (long i = 0; i < length; i++) {
              target.put((byte) 0);
            }
          }
        });
  }
}
