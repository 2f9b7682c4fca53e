package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.osgi.annotation.versioning.ConsumerType;
import org.osgi.annotation.versioning.ProviderType;

/** Content of a disk, for one transfer. For one thread. */
@ProviderType
public interface SourceDisk extends AutoCloseable {
  /** Returns the number of bytes. */
  long size();

  /**
   * Returns the clusters that have data; all others read as zeroes.
   *
   * @param cluster bytes of a cluster, a power of two from 4096
   * @return never null
   * @throws StorageException UNREACHABLE; IO
   */
  BitSet dataClusters(int cluster) throws StorageException;

  /**
   * Passes a range on, in ascending order and without gaps.
   *
   * @param offset of the first byte
   * @param length inside the disk
   * @param target takes it, not null
   * @throws StorageException UNREACHABLE, BUSY and TIMEOUT when another attempt may succeed; IO;
   *     what the target throws
   */
  void copy(long offset, long length, Target target) throws StorageException;

  /** Releases what it holds. Idempotent. */
  @Override
  void close();

  /** Takes content. */
  @ConsumerType
  interface Target {
    /**
     * Takes bytes.
     *
     * @param bytes all remaining ones are taken, not null
     * @throws StorageException ends the copying
     */
    void data(ByteBuffer bytes) throws StorageException;

    /**
     * Takes zeroes.
     *
     * @param length how many
     * @throws StorageException ends the copying
     */
    void zeroes(long length) throws StorageException;
  }
}
