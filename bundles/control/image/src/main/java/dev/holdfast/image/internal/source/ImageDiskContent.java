package dev.holdfast.image.internal.source;

import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ContentSink;
import dev.holdfast.image.internal.content.ImageContent;
import dev.holdfast.imagesource.SourceDisk;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** Content of another image, for an image source. */
record ImageDiskContent(long size, ImageContent content) implements SourceDisk {
  @Override
  public BitSet dataClusters(int cluster) throws StorageException {
    return content.dataClusters(size, cluster);
  }

  @Override
  public void copy(long offset, long length, Target target) throws StorageException {
    content.copyTo(
        offset,
        length,
        new ContentSink() {
          @Override
          public void data(ByteBuffer bytes) throws StorageException {
            target.data(bytes);
          }

          @Override
          public void zeroes(long count) throws StorageException {
            target.zeroes(count);
          }
        });
  }

  @Override
  public void close() {
    // Copies are opened for each range.
  }
}
