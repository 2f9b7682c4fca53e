package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.engine.lvm.blobs.links.PoolExport;
import dev.holdfast.error.StorageException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * State of one pool that ends with this process: its exports, and what this process has connected.
 * The lock of the pool guards it.
 */
final class PoolMemory {
  private final Map<String, PoolExport> exports = new TreeMap<>();
  private long exported;
  private long generation;
  private Map<String, Long> devices = Map.of();

  /** Returns the addresses of the exports of a generation. */
  Map<String, PoolAddress> exports(long of) {
    Map<String, PoolAddress> addresses = new HashMap<>();
    if (of == exported) {
      exports.forEach((blob, export) -> addresses.put(blob, export.address()));
    }
    return addresses;
  }

  void exporting(String blob, PoolExport export, long of) {
    exported = of;
    exports.put(blob, export);
  }

  /** Withdraws the exports of an earlier generation. */
  void begin(long of) throws StorageException {
    if (of != exported) {
      withdrawAll();
      exported = of;
    }
  }

  void withdraw(String blob) throws StorageException {
    PoolExport export = exports.get(blob);
    if (export != null) {
      export.close();
      exports.remove(blob);
    }
  }

  void withdrawAll() throws StorageException {
    for (String blob : List.copyOf(exports.keySet())) {
      withdraw(blob);
    }
  }

  long generation() {
    return generation;
  }

  Map<String, Long> devices() {
    return devices;
  }

  /** Remembers to what the devices of this node point. */
  void connected(long to, Map<String, Long> sizes) {
    generation = to;
    devices = Map.copyOf(sizes);
  }
}
