package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupView;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
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
    return records
        .having(blob, lvm.volumes())
        .map(version -> version.pool().id())
        .orElse(blob.name());
  }

  /** As {@link SharedBlobManager#activeNode}. */
  Optional<String> activeNode(Blob blob, GroupView view) throws StorageException {
    return records
        .having(blob, view.volumes())
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

  /**
   * Returns the identifiers of the pools about which a node may have something to do: their record
   * was changed, or a device of the node has lost its connection. Looks at the connections of all
   * pools at once.
   *
   * @param memories what this process knows of a pool, by its identifier
   */
  List<String> due(String node, Function<String, PoolMemory> memories) throws StorageException {
    List<PoolRecords.Version> pools =
        records.all().stream().filter(version -> version.pool().concerns(node)).toList();
    Set<String> tried = new HashSet<>();
    pools.forEach(version -> tried.addAll(memories.apply(version.pool().id()).devices().tried()));
    Set<String> lost = host.lost(tried);
    List<String> due = new ArrayList<>();
    for (PoolRecords.Version version : pools) {
      if (isDue(version, memories.apply(version.pool().id()), lost)) {
        due.add(version.pool().id());
      }
    }
    return due;
  }

  /** A device whose connection was lost may have been connected again since. */
  private boolean isDue(PoolRecords.Version version, PoolMemory memory, Set<String> lost)
      throws StorageException {
    synchronized (memory) {
      NodeDevices devices = memory.devices();
      Set<String> suspects = new HashSet<>(devices.tried());
      suspects.retainAll(lost);
      Set<String> still = host.lost(suspects);
      memory.devices(devices.doubting(still));
      return !still.isEmpty() || !memory.isSettled(version.stored().version());
    }
  }
}
