package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LogicalVolume;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A shared group at the time of a call. */
record SharedGroup(
    GroupInfo info,
    LvmGroup lvm,
    PoolRecords records,
    BlobSteps steps,
    PoolHost host,
    PoolPass pass) {
  String name() {
    return info.name();
  }

  /** Returns the pool that a blob is in, or that it would be in if it were created empty. */
  String poolOf(Blob blob) throws StorageException {
    LogicalVolume volume = lvm.volumes().get(BlobNames.volume(blob.name()));
    String likely =
        volume != null && volume.isThin() ? BlobNames.poolId(volume.pool()) : blob.name();
    return records
        .having(blob.name(), likely)
        .map(version -> version.pool().id())
        .orElse(blob.name());
  }

  /** As {@link SharedBlobManager#activeNode}. */
  Optional<String> activeNode(Blob blob) throws StorageException {
    return records
        .read(poolOf(blob))
        .map(version -> version.pool().place().activeOn())
        .filter(active -> !active.isEmpty());
  }

  /** As {@link SharedBlobManager#nodes}. */
  Set<String> nodes(Blob blob, String cookie) throws StorageException {
    return records.read(poolOf(blob)).stream()
        .flatMap(present -> present.pool().attachments(blob.name()).stream())
        .filter(attachment -> attachment.cookie().equals(cookie))
        .map(Attachment::node)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** A step for one pool. */
  interface PoolAction {
    void run(PoolRecords.Version version) throws StorageException;
  }

  /** Takes a step for all pools, also where it fails for some; then throws the first failure. */
  void forEachPool(PoolAction action) throws StorageException {
    StorageException failure = null;
    for (PoolRecords.Version version : records.all()) {
      try {
        action.run(version);
      } catch (StorageException e) {
        failure = LocalBlobManager.first(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
