package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import java.util.BitSet;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Fills an unfinished base. A base begins as zeroes that are not yet known: each of its regions
 * must be written, zeroed or trimmed as a whole before it counts as written, in any order and in
 * any pieces. Zeroes and trims become holes.
 *
 * @since 2.2
 */
@ConsumerType
public interface BaseWriter extends AutoCloseable {
  /** Length of a region in bytes; the last one may be shorter. */
  long REGION_BYTES = 16L << 20;

  /**
   * Returns the content, readable and writable; a flush makes complete regions durable. Closed with
   * the writer. Never null.
   */
  BlockDevice device();

  /**
   * Returns the regions that are complete and durable: they survive a crash, so the caller need not
   * write them again. A region becomes so at a flush of the device after its last missing byte was
   * written.
   *
   * @return a copy, never null
   */
  BitSet written();

  /**
   * Makes the content durable and ends its changes. Afterwards the device refuses changes. Succeeds
   * without effect when this writer has sealed it with the same checksum.
   *
   * @param contentChecksum of the raw content, as the caller has computed it, not empty
   * @throws StorageException INVALID when regions are missing, naming the first, or for the
   *     checksum; NO_SPACE; IO
   */
  void seal(String contentChecksum) throws StorageException;

  /** Gives the base up, sealed or not; what is durable stays. Idempotent. */
  @Override
  void close();
}
