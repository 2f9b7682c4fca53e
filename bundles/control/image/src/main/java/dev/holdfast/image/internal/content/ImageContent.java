package dev.holdfast.image.internal.content;

import dev.holdfast.error.StorageException;
import java.util.BitSet;

/** Content of an image, stored on this or another node. */
public interface ImageContent extends RangeSource {
  /**
   * Returns the clusters that have data; all others read as zeroes.
   *
   * @param size bytes of the disk
   * @param cluster bytes of a cluster
   */
  BitSet dataClusters(long size, int cluster) throws StorageException;
}
