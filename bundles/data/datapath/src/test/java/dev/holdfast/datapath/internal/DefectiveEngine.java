package dev.holdfast.datapath.internal;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** A defective new version of an engine. */
final class DefectiveEngine implements HandoverEngine {
  /** The kinds of defects. */
  enum Defect {
    REFUSES,
    THROWS,
    HANGS
  }

  private final EngineProvider like;
  private final Defect defect;

  DefectiveEngine(EngineProvider like, Defect defect) {
    this.like = like;
    this.defect = defect;
  }

  @Override
  public String name() {
    return like.name();
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return like.capabilities();
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException {
    like.provisionReplica(replica, sizeBytes);
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) throws StorageException {
    like.deleteReplica(replica);
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException {
    return like.inspectReplica(replica);
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    return fail();
  }

  @Override
  public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
    return fail();
  }

  private OpenVolume fail() throws StorageException {
    switch (defect) {
      case REFUSES -> throw new StorageException(ErrorCode.IO, "told to fail");
      case THROWS -> throw new IllegalStateException("told to break");
      case HANGS -> hang();
    }
    throw new AssertionError(defect);
  }

  private static void hang() throws StorageException {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      throw new StorageException(ErrorCode.INTERNAL, "interrupted", e);
    }
  }
}
