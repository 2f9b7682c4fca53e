package dev.holdfast.engine.sparse.internal.forward;

import dev.holdfast.engine.sparse.internal.wire.LinkData;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.function.Consumer;

/** Transport to volumes that other nodes have open. Thread-safe. */
@FunctionalInterface
public interface VolumeLinks {

  /**
   * A link to a volume.
   *
   * @param data transfers requests
   * @param size size of the volume in bytes
   * @param blockSize block size of the volume in bytes
   */
  record Joined(LinkData data, long size, int blockSize) {}

  /**
   * Joins a volume on its node: after this call, earlier requests of this node have no effect.
   * Blocks.
   *
   * @param lost called once when the link is lost, unless it was closed; the link then completes no
   *     request and accesses no buffer; never called from within this call
   * @throws StorageException FORBIDDEN when that node rejects this one; UNREACHABLE or TIMEOUT when
   *     it does not answer
   */
  Joined join(String volume, String node, Duration timeout, Consumer<StorageException> lost)
      throws StorageException;
}
