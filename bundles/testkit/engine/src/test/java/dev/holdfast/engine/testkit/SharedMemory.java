package dev.holdfast.engine.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Disks in memory that several engines see; they outlive the engines. Guarded by its monitor. */
final class SharedMemory {
  static final long DISK_SIZE = 1L << 30;

  private final Map<Path, Disk> disks = new HashMap<>();

  /** A disk: blank, with something foreign, or in use. */
  static final class Disk {
    String identity = "";
    String foreign = "";
    final Map<String, Stored> replicas = new TreeMap<>();

    long used() {
      return replicas.values().stream().mapToLong(Stored::used).sum();
    }

    byte[] content() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.writeBytes((identity + "\n" + foreign + "\n").getBytes(StandardCharsets.UTF_8));
      replicas.forEach(
          (name, replica) -> {
            bytes.writeBytes(name.getBytes(StandardCharsets.UTF_8));
            replica.pages.forEach(
                (number, page) -> {
                  bytes.writeBytes(Long.toString(number).getBytes(StandardCharsets.UTF_8));
                  bytes.writeBytes(page);
                });
          });
      return bytes.toByteArray();
    }
  }

  /** A replica with its lock: the holder's node, and the number of the opening that took it. */
  static final class Stored {
    static final int PAGE = 4096;

    final String volume;
    final String replica;
    final long size;
    final Map<Long, byte[]> pages = new TreeMap<>();
    String holder = "";
    boolean clean = true;
    long opening;

    Stored(String volume, String replica, long size) {
      this.volume = volume;
      this.replica = replica;
      this.size = size;
    }

    long used() {
      return (long) pages.size() * PAGE;
    }
  }

  /** Makes a disk where none is. */
  synchronized void add(Path path) {
    disks.computeIfAbsent(path, unknown -> new Disk());
  }

  /** Returns a disk, null when there is none. */
  synchronized Disk at(Path path) {
    return disks.get(path);
  }

  /** Frees the locks of a node. */
  synchronized void free(String node) {
    for (Disk disk : disks.values()) {
      for (Stored replica : disk.replicas.values()) {
        if (replica.holder.equals(node)) {
          replica.holder = "";
        }
      }
    }
  }
}
