package dev.holdfast.datapath.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.engine.Admission;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.ForwardRequest;
import dev.holdfast.engine.ForwardedVolume;
import dev.holdfast.engine.ForwardingEngine;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ResizableForwardedVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The engine of one node, which reaches those of other nodes without a network. */
record ForwardingFake(String node, FakeEngine below, Network network) implements ForwardingEngine {

  /** Nodes that admit each other. Requests wait until a node admits them. */
  static final class Network {
    /** The sizes that were passed to forwarding nodes. */
    final Queue<Long> followed = new ConcurrentLinkedQueue<>();

    private final Map<String, Admitted> admitted = new ConcurrentHashMap<>();

    private record Admitted(String node, BlockDevice device, Set<Forward> forwards)
        implements Admission {
      @Override
      public void close() {
        forwards.forEach(Forward::stall);
      }
    }

    /** Returns the node that a volume admits, empty when it admits none. */
    Optional<String> welcome(String volume) {
      return Optional.ofNullable(admitted.get(volume)).map(Admitted::node);
    }
  }

  private static final class Forward implements ResizableForwardedVolume {
    private final GatedDevice gate;
    private Optional<GatedDevice.Hold> stalled = Optional.empty();
    private final Queue<Long> followed;
    private boolean closed;

    Forward(String volume, BlockDevice to, Queue<Long> followed) {
      this.followed = followed;
      gate = new GatedDevice(volume, to);
    }

    synchronized void stall() {
      if (closed) {
        return;
      }
      try {
        stalled = Optional.of(gate.hold(Duration.ofSeconds(5)));
      } catch (StorageException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public BlockDevice device() {
      return gate;
    }

    @Override
    public Map<String, MemberMode> replicas() {
      return Map.of();
    }

    @Override
    public synchronized void redirect(BlockDevice to) {
      stalled.orElseThrow(() -> new AssertionError("redirected while it is admitted")).replace(to);
      stalled.get().close();
    }

    @Override
    public void grown(long sizeBytes) {
      followed.add(sizeBytes);
    }

    @Override
    public synchronized void close() {
      closed = true;
      boolean unused = gate.shut(Duration.ZERO);
    }
  }

  @Override
  public Admission admit(String volume, String other, BlockDevice device) {
    Network.Admitted let = new Network.Admitted(other, device, ConcurrentHashMap.newKeySet());
    network.admitted.put(volume, let);
    return () -> {
      network.admitted.remove(volume, let);
      let.close();
    };
  }

  @Override
  public ForwardedVolume forward(ForwardRequest request) throws StorageException {
    Network.Admitted let = network.admitted.get(request.volume());
    if (let == null || !let.node().equals(node)) {
      throw new StorageException(ErrorCode.FORBIDDEN, node + " is not admitted");
    }
    Forward forward = new Forward(request.volume(), let.device(), network.followed);
    let.forwards().add(forward);
    return forward;
  }

  @Override
  public String name() {
    return below.name();
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return below.capabilities();
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
    return below.open(request);
  }
}
