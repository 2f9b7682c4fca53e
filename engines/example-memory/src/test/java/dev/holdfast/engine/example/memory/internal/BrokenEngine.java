package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The engine in memory with one planted mistake. */
final class BrokenEngine implements HandoverEngine {
  private final MemoryEngine engine = new MemoryEngine();
  private final Mistake mistake;

  /** The mistake. */
  enum Mistake {
    OCCUPIES_THE_WHOLE_SIZE,
    LOSES_WRITES,
    FORGETS_AT_HANDOVER,
    DECLARES_EVERYTHING
  }

  BrokenEngine(Mistake mistake) {
    this.mistake = mistake;
  }

  @Override
  public String name() {
    return engine.name();
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return mistake == Mistake.DECLARES_EVERYTHING
        ? EnumSet.allOf(EngineCapability.class)
        : engine.capabilities();
  }

  @Override
  public void provisionReplica(ReplicaLocation at, long sizeBytes) throws StorageException {
    engine.provisionReplica(at, sizeBytes);
  }

  @Override
  public void deleteReplica(ReplicaLocation at) throws StorageException {
    engine.deleteReplica(at);
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation at) {
    Optional<ReplicaInfo> found = engine.inspectReplica(at);
    return mistake == Mistake.OCCUPIES_THE_WHOLE_SIZE
        ? found.map(info -> new ReplicaInfo(info.sizeBytes(), info.sizeBytes(), info.clean()))
        : found;
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    HandoverVolume volume = (HandoverVolume) engine.open(request);
    return mistake == Mistake.LOSES_WRITES ? new LossyVolume(volume) : volume;
  }

  @Override
  public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
    if (mistake != Mistake.FORGETS_AT_HANDOVER) {
      return engine.resume(request, handover);
    }
    for (ReplicaLocation replica : request.replicas()) {
      engine.provisionReplica(replica, request.sizeBytes());
    }
    return engine.open(request);
  }

  /** Acknowledges writes without keeping them. */
  private record LossyVolume(HandoverVolume volume) implements HandoverVolume {
    @Override
    public BlockDevice device() {
      return new ForwardingBlockDevice(volume.device()) {
        @Override
        public void write(long offset, ByteBuffer source, int flags, Completion completion) {
          completion.completed(null);
        }
      };
    }

    @Override
    public Map<String, MemberMode> replicas() {
      return volume.replicas();
    }

    @Override
    public Handover handOver(boolean lasting) throws StorageException {
      return volume.handOver(lasting);
    }

    @Override
    public void close() throws StorageException {
      volume.close();
    }
  }
}
