package dev.holdfast.engine.spdk.simulator.internal.nvmf;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A device as a namespace. I/O holds the read lock, a pause the write lock: that is how SPDK drains
 * a namespace, and it waits as long as the I/O does.
 */
final class Namespace {
  private final int id;
  private final Bdev device;
  private final UUID uuid;
  private final String nguid;
  private final Runnable removal;
  private final ReadWriteLock pause = new ReentrantReadWriteLock();
  private volatile int group;

  Namespace(int id, Bdev device, UUID uuid, String nguid, int group, Runnable removal) {
    this.id = id;
    this.device = device;
    this.uuid = uuid;
    this.nguid = nguid;
    this.group = group;
    this.removal = removal;
  }

  int id() {
    return id;
  }

  Bdev device() {
    return device;
  }

  UUID uuid() {
    return uuid;
  }

  String nguid() {
    return nguid;
  }

  int group() {
    return group;
  }

  /** Ends the claim on the device. */
  void close() {
    device.forget(removal);
    device.release();
  }

  /** Sets the access group, after the I/O in flight. */
  void moveTo(int changed) {
    pause.writeLock().lock();
    try {
      group = changed;
    } finally {
      pause.writeLock().unlock();
    }
  }

  /** Work on the device. */
  interface Io {
    void run(Bdev device) throws IOException;
  }

  /** Runs I/O. */
  void run(Io io) throws IOException {
    pause.readLock().lock();
    try {
      io.run(device);
    } finally {
      pause.readLock().unlock();
    }
  }

  void describe(ObjectNode entry, boolean anaReporting) {
    entry.put("nsid", id).put("bdev_name", device.name()).put("name", device.name());
    entry.put("nguid", nguid).put("uuid", uuid.toString());
    if (anaReporting) {
      entry.put("anagrpid", group);
    }
  }
}
