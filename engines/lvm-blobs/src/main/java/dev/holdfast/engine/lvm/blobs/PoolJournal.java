package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * The record of one pool during one call. Used by one thread, which is the only one to write it.
 */
final class PoolJournal {
  private final PoolRecords records;
  private final String group;
  private final String node;
  private final String id;
  private final boolean shared;
  private Optional<PoolRecords.Version> version;

  /**
   * Reads the record.
   *
   * @param group name of the volume group
   * @param node that this is
   * @param id of the pool
   * @param shared whether several nodes use the group
   * @throws StorageException INVALID when another node has the group
   */
  PoolJournal(PoolRecords records, String group, String node, String id, boolean shared)
      throws StorageException {
    this.records = records;
    this.group = group;
    this.node = node;
    this.id = id;
    this.shared = shared;
    this.version = records.read(id);
    requireOurs();
  }

  private void requireOurs() throws StorageException {
    if (exists() && pool().isShared() != shared) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume group "
              + group
              + ": its blobs were made while its lock type was another: give it the former one:"
              + " vgchange --lock-type "
              + (shared ? "none" : "sanlock")
              + " "
              + group);
    }
    if (exists() && !shared && !pool().node().equals(node)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume group "
              + group
              + ": its blobs belong to node "
              + pool().node()
              + ": one node uses a group without lock daemons; take its disks from node "
              + node);
    }
  }

  String group() {
    return group;
  }

  String node() {
    return node;
  }

  String id() {
    return id;
  }

  /** Returns whether the pool has blobs. */
  boolean exists() {
    return version.isPresent();
  }

  /** Returns the record of a new pool, which this node may activate. */
  PoolRecord fresh(BlobOptions options) {
    PoolRecord empty = PoolRecord.empty(id, shared ? "" : node, options);
    return shared ? empty.at(empty.place().active(node)) : empty;
  }

  PoolRecord pool() {
    return version.orElseThrow().pool();
  }

  Optional<RecordedBlob> blob(Blob blob) {
    return version.flatMap(present -> present.pool().blob(blob.name()));
  }

  /** Replaces the record; one without blobs is deleted. */
  void write(PoolRecord next) throws StorageException {
    if (next.blobs().isEmpty()) {
      records.delete(version.orElseThrow());
      version = Optional.empty();
    } else if (version.isEmpty()) {
      version = Optional.of(records.create(next));
    } else {
      version = Optional.of(records.replace(version.get(), next));
    }
  }
}
