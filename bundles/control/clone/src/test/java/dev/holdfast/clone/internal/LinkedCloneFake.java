package dev.holdfast.clone.internal;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.LinkedCloneEngine;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** An engine that only creates replicas, and records the first content of each. */
final class LinkedCloneFake implements LinkedCloneEngine {
  static final String EMPTY = "";

  private final Map<String, String> firstContents;
  private final Function<SnapshotContent, Optional<StorageException>> obstacle;

  /**
   * Creates the engine of one process.
   *
   * @param firstContents first content by replica, on disks that outlive processes
   * @param obstacle the reason why content cannot be linked now
   */
  LinkedCloneFake(
      Map<String, String> firstContents,
      Function<SnapshotContent, Optional<StorageException>> obstacle) {
    this.firstContents = firstContents;
    this.obstacle = obstacle;
  }

  static Map<String, String> disks() {
    return new HashMap<>();
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(EngineCapability.LINKED_CLONE, EngineCapability.REPLICATED);
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) {
    firstContents.putIfAbsent(replica.replica(), EMPTY);
  }

  @Override
  public void cloneReplica(ReplicaLocation replica, long sizeBytes, SnapshotContent content)
      throws StorageException {
    String present = firstContents.get(replica.replica());
    if (present != null && !present.equals(content.id())) {
      throw new StorageException(ErrorCode.INVALID, replica.replica() + " has another content");
    }
    Optional<StorageException> why = present == null ? obstacle.apply(content) : Optional.empty();
    if (why.isPresent()) {
      throw why.get();
    }
    firstContents.put(replica.replica(), content.id());
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) {
    firstContents.remove(replica.replica());
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) {
    return Optional.ofNullable(firstContents.get(replica.replica()))
        .map(content -> new ReplicaInfo(1 << 20, 1 << 20, true));
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    throw new StorageException(ErrorCode.UNSUPPORTED, "only makes replicas");
  }
}
