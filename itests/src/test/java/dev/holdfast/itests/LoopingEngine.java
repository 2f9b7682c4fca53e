package dev.holdfast.itests;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** An engine that never returns from opening a volume. */
public final class LoopingEngine implements EngineProvider {
  static final String NAME = "looping";
  private static final long SIZE = 1 << 20;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of();
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) {}

  @Override
  public void deleteReplica(ReplicaLocation replica) {}

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) {
    return Optional.of(new ReplicaInfo(SIZE, 0, true));
  }

  @Override
  public OpenVolume open(OpenRequest request) {
    while (true) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
