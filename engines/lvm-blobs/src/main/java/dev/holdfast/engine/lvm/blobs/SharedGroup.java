package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.lvm.LogicalVolume;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.error.StorageException;

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
}
