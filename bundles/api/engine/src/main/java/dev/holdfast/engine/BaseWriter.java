package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import java.util.BitSet;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Fills an unfinished base. A new base is unwritten. A region counts as written when each of its
 * bytes was written, zeroed or trimmed, in any order and in pieces of any size. Zeroed and trimmed
 * ranges become holes.
 *
 * @since 2.2
 */
@ConsumerType
public interface BaseWriter extends AutoCloseable {
  /** Length of a region in bytes; the last one may be shorter. */
  long REGION_BYTES = 16L << 20;

  /**
   * Returns the content as a readable and writable device. A flush makes complete regions durable.
   * The writer closes the device. Never null.
   */
  BlockDevice device();

  /**
   * Returns the regions that are complete and durable: they survive a crash, so the caller need not
   * write them again. A region becomes durable at the first flush after its last missing byte was
   * written.
   *
   * @return a copy, never null
   */
  BitSet written();

  /**
   * Makes the content durable and immutable. Afterwards the device rejects changes. Succeeds
   * without effect when this writer has sealed it with the same checksum.
   *
   * @param contentChecksum of the raw content, as the caller has computed it, not empty
   * @throws StorageException INVALID when regions are missing, with the first one, or for the
   *     checksum; NO_SPACE; IO
   */
  void seal(String contentChecksum) throws StorageException;

  /** Releases the base, sealed or unsealed. Durable content stays. Idempotent. */
  @Override
  void close();
}
