package dev.holdfast.image.internal.transfer;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.SourceDisk;

/** The disks of an upload, which reads none. */
final class NoDisks implements ClusterDisks {
  @Override
  public SourceDisk volume(String volume, String snapshot) throws StorageException {
    throw new StorageException(ErrorCode.FORBIDDEN, "an upload does not read volumes");
  }

  @Override
  public SourceDisk image(String image) throws StorageException {
    throw new StorageException(ErrorCode.FORBIDDEN, "an upload does not read other images");
  }
}
