package dev.holdfast.itests;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** A defective new version of the sparse engine. {@link BundleJars} packs it into a bundle. */
public final class BrokenEngine implements HandoverEngine {
  static final String DEFECT = "defect";
  static final String THROWS = "throws";
  static final String HANGS = "hangs";

  private volatile String defect = "";

  /** Called when the component is activated. */
  public void activate(Map<String, Object> properties) {
    defect = String.valueOf(properties.get(DEFECT));
  }

  @Override
  public String name() {
    return "sparse";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(EngineCapability.HANDOVER, EngineCapability.REMOTE_REPLICAS);
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException {
    throw broken();
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) throws StorageException {
    throw broken();
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException {
    throw broken();
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    throw broken();
  }

  @Override
  public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
    if (defect.equals(HANGS)) {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new StorageException(ErrorCode.INTERNAL, "interrupted", e);
      }
    }
    throw new IllegalStateException("this version is broken");
  }

  private static StorageException broken() {
    return new StorageException(ErrorCode.INTERNAL, "this version is broken");
  }
}
