package dev.holdfast.engine.spdk.internal.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Volatile write cache of a device, as the kernel tells. Logical volumes of SPDK have no flush, so
 * data survive a power cut only on a device without such a cache.
 */
final class WriteCache {
  private static final Logger LOG = LoggerFactory.getLogger(WriteCache.class);
  private static final String NONE = "write through";

  private final Path classes;

  /**
   * Creates a view.
   *
   * @param classes {@code /sys/class/block}, or what stands for it
   */
  WriteCache(Path classes) {
    this.classes = classes;
  }

  /** Returns whether the device is known to have no volatile write cache. */
  boolean isAbsent(Path device) {
    try {
      Path name = device.toRealPath().getFileName();
      Path folder = classes.resolve(name);
      if (!Files.exists(folder)) {
        return false;
      }
      Path queue = folder.toRealPath().resolve("queue");
      if (!Files.exists(queue)) {
        queue = folder.toRealPath().resolveSibling("queue"); // a partition
      }
      return Files.readString(queue.resolve("write_cache")).strip().equals(NONE);
    } catch (IOException e) {
      LOG.debug("disk {}: its write cache is not known", device, e);
      return false;
    }
  }
}
