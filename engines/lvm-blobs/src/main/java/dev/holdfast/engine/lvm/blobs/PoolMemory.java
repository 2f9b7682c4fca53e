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
 * The lock of the pool guards it; {@link #devices()} may be read without the lock.
 */
final class PoolMemory {
  private static final long NEVER = -1;

  private final Map<String, PoolExport> exports = new TreeMap<>();
  private long exported;
  private volatile NodeDevices devices = NodeDevices.UNKNOWN;
  private long settled = NEVER;

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

  /** Returns what this process knows of the devices of its node. */
  NodeDevices devices() {
    return devices;
  }

  void devices(NodeDevices next) {
    devices = next;
  }

  /** Forgets the devices of a pool that does not exist any more. */
  void forget() throws StorageException {
    withdrawAll();
    devices = NodeDevices.UNKNOWN;
  }

  /** Takes notice that this process has replaced the place of the pool in its record. */
  void recorded(PoolPlace before, PoolPlace after, String node) {
    if (before.connection(node) != after.connection(node)
        && after.connection(node) == after.generation()) {
      devices = devices.claiming(after.generation());
    }
  }

  /** Returns whether this node had nothing to do about a version of the record. */
  boolean isSettled(long version) {
    return settled == version;
  }

  void settled(long version) {
    settled = version;
  }
}
