package dev.holdfast.datapath.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.placement.PlacedVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/** An engine of whose volumes one node uses the disk; moves to the node "away" fail. */
final class PlacedEngine implements EngineProvider {
  static final String AWAY = "away";

  private final FakeEngine below;
  private final Map<String, String> active = new ConcurrentHashMap<>();
  private final String first;
  private final Semaphore calls = new Semaphore(Integer.MAX_VALUE);
  private volatile CountDownLatch held = new CountDownLatch(0);

  PlacedEngine(FakeEngine below, String first) {
    this.below = below;
    this.first = first;
  }

  @Override
  public String name() {
    return below.name();
  }

  @Override
  public Set<EngineCapability> capabilities() {
    Set<EngineCapability> capabilities = EnumSet.copyOf(below.capabilities());
    capabilities.add(EngineCapability.PLACEMENT);
    return capabilities;
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) {
    below.provisionReplica(replica, sizeBytes);
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) throws StorageException {
    below.deleteReplica(replica);
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) {
    return below.inspectReplica(replica);
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    return new Volume(request.volume(), below.open(request));
  }

  /** Makes calls wait until {@link #resume}. Returns a latch that counts down when one waits. */
  CountDownLatch hold() {
    calls.drainPermits();
    held = new CountDownLatch(1);
    return held;
  }

  void resume() {
    calls.release(Integer.MAX_VALUE);
  }

  private final class Volume implements PlacedVolume {
    private final String name;
    private final OpenVolume opened;

    private Volume(String name, OpenVolume opened) {
      this.name = name;
      this.opened = opened;
    }

    @Override
    public String activeNode() {
      held.countDown();
      calls.acquireUninterruptibly();
      calls.release();
      return active.getOrDefault(name, first);
    }

    @Override
    public void moveTo(String node) throws StorageException {
      if (node.equals(AWAY)) {
        throw new StorageException(ErrorCode.UNREACHABLE, "node away does not answer");
      }
      active.put(name, node);
    }

    @Override
    public BlockDevice device() {
      return opened.device();
    }

    @Override
    public Map<String, MemberMode> replicas() {
      return opened.replicas();
    }

    @Override
    public void close() throws StorageException {
      opened.close();
    }
  }
}
