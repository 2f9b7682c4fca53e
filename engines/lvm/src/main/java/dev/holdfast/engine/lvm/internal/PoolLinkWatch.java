package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.blobs.BlobManager;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects devices of open volumes again that have lost their connection to the node that has their
 * pool. It has a thread of its own, because it may wait for requests that end only when {@link
 * SpaceWatch} extends a pool.
 */
final class PoolLinkWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PoolLinkWatch.class);

  private final Supplier<Set<SpaceWatch.OpenGroup>> groups;
  private final ScheduledExecutorService executor;
  private final Map<String, String> reported = new ConcurrentHashMap<>();

  /** Starts to look at the groups, one time after another. */
  PoolLinkWatch(Supplier<Set<SpaceWatch.OpenGroup>> groups, Duration every) {
    this.groups = groups;
    ScheduledThreadPoolExecutor single = new ScheduledThreadPoolExecutor(1, PoolLinkWatch::thread);
    this.executor = single;
    var unused =
        single.scheduleWithFixedDelay(
            this::lookAtAll, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "lvm-links");
    thread.setDaemon(true);
    return thread;
  }

  private void lookAtAll() {
    try {
      for (SpaceWatch.OpenGroup group : groups.get()) {
        look(group.blobs(), group.name());
      }
    } catch (RuntimeException e) {
      LOG.error("could not look after the links of thin pools, repeating it", e);
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

  @Override
  public void close() {
    var unused = executor.shutdownNow();
  }
}
