package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.blobs.BlobManager;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects devices of open volumes again that have lost their connection to the node that has their
 * pool. It has a thread of its own, because it may wait for requests that end only when {@link
 * SpaceWatch} extends a pool.
 */
final class PoolLinkWatch {
  private static final Logger LOG = LoggerFactory.getLogger(PoolLinkWatch.class);

  private final Supplier<Set<SpaceWatch.OpenGroup>> groups;
  private final Map<String, String> reported = new ConcurrentHashMap<>();

  PoolLinkWatch(Supplier<Set<SpaceWatch.OpenGroup>> groups) {
    this.groups = groups;
  }

  /** Connects devices now. */
  void lookAtAll() {
    for (SpaceWatch.OpenGroup group : groups.get()) {
      look(group.blobs(), group.name());
    }
  }

  private void look(BlobManager blobs, String group) {
    try {
      blobs.keepLinks(group);
      if (reported.remove(group) != null) {
        LOG.info("volume group {}: all links to other nodes are connected", group);
      }
    } catch (StorageException e) {
      String message = Objects.toString(e.getMessage());
      if (!message.equals(reported.put(group, message))) {
        LOG.warn(
            "volume group {}: could not connect links to other nodes, repeating it: {}",
            group,
            message);
      }
    }
  }
}
