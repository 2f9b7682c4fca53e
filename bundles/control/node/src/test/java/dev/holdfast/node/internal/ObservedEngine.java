package dev.holdfast.node.internal;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * An engine that reports before it creates or deletes a replica's data, and that fails at random
 * before or after an operation.
 *
 * @param sound engine that does the work
 * @param fails decides at each point whether the call fails
 * @param making called with a replica before its data is created
 * @param deleting called with a replica before its data is deleted
 */
record ObservedEngine(
    EngineProvider sound,
    BooleanSupplier fails,
    Consumer<ReplicaLocation> making,
    Consumer<ReplicaLocation> deleting)
    implements EngineProvider {

  private void chance(String what) throws StorageException {
    if (fails.getAsBoolean()) {
      throw new StorageException(ErrorCode.IO, "told to fail: " + what);
    }
  }

  @Override
  public String name() {
    return sound.name();
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return sound.capabilities();
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException {
    chance("before making " + replica);
    making.accept(replica);
    sound.provisionReplica(replica, sizeBytes);
    chance("after making " + replica);
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) throws StorageException {
    chance("before deleting " + replica);
    deleting.accept(replica);
    sound.deleteReplica(replica);
    chance("after deleting " + replica);
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException {
    chance("inspecting " + replica);
    return sound.inspectReplica(replica);
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    return sound.open(request);
  }
}
