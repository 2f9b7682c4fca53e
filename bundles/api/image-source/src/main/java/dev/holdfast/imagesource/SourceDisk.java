package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.osgi.annotation.versioning.ConsumerType;
import org.osgi.annotation.versioning.ProviderType;

/** Content of a disk for one transfer. Not thread-safe. */
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
   * Copies a range to a target, in ascending order without gaps.
   *
   * @param offset of the first byte
   * @param length inside the disk
   * @param target receives the content, not null
   * @throws StorageException UNREACHABLE, BUSY and TIMEOUT when another attempt may succeed; IO;
   *     exceptions of the target
   */
  void copy(long offset, long length, Target target) throws StorageException;

  /** Releases its resources. Idempotent. */
  @Override
  void close();

  /** Receives content. */
  @ConsumerType
  interface Target {
    /**
     * Receives bytes.
     *
     * @param bytes the target takes all remaining bytes; not null
     * @throws StorageException ends the copy
     */
    void data(ByteBuffer bytes) throws StorageException;

    /**
     * Receives zeroes.
     *
     * @param length number of zeroes
     * @throws StorageException ends the copy
     */
    void zeroes(long length) throws StorageException;
  }
}
