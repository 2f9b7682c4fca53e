package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.blobs.BlobManager;
import dev.holdfast.engine.lvm.blobs.PoolSpace;
import dev.holdfast.error.StorageException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Extends the thin pools of open volumes before they are full. When a group has no room, writers to
 * its pools wait, and the log says it once; they continue when the group is extended.
 */
final class SpaceWatch {
  private static final Logger LOG = LoggerFactory.getLogger(SpaceWatch.class);

  private final Supplier<Set<OpenGroup>> groups;
  private final Set<String> reported = new HashSet<>();

  /**
   * A group that has open volumes.
   *
   * @param blobs of the group
   * @param name of the group
   */
  record OpenGroup(BlobManager blobs, String name) {}

  SpaceWatch(Supplier<Set<OpenGroup>> groups) {
    this.groups = groups;
  }

  /** Extends pools now. */
  void lookAtAll() {
    groups.get().forEach(this::look);
  }

  private void look(OpenGroup group) {
    try {
      for (PoolSpace space : group.blobs().keepSpace(group.name())) {
        report(space);
      }
    } catch (StorageException e) {
      LOG.warn(
          "volume group {}: could not extend its thin pools, repeating it: {}",
          group.name(),
          e.getMessage());
    }
  }

  private void report(PoolSpace space) {
    String pool = space.group() + "/" + space.pool();
    if (!space.shortage()) {
      if (reported.remove(pool)) {
        LOG.info("thin pool {}: has room again", pool);
      }
    } else if (reported.add(pool)) {
      LOG.warn(
          "thin pool {}: {} of {} bytes are used and the volume group has no room: writers to {}"
              + " wait when it is full: add a disk: vgextend {} DISK",
          pool,
          space.usedBytes(),
          space.sizeBytes(),
          space.blobs(),
          space.group());
    }
  }
}
