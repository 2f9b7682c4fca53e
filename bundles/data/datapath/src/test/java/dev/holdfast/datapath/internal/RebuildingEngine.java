package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An engine whose rebuilds and removals are controlled by a test. */
final class RebuildingEngine implements EngineProvider {
  private final FakeEngine below;
  private final boolean remote;
  private final List<OpenRequest> requests = new CopyOnWriteArrayList<>();
  private final List<FakeRebuild> rebuilds = new CopyOnWriteArrayList<>();
  private final BlockingQueue<FakeRebuild> begun = new LinkedBlockingQueue<>();
  private final Queue<StorageException> growthFailures = new ConcurrentLinkedQueue<>();

  RebuildingEngine(FakeEngine below, boolean remote) {
    this.below = below;
    this.remote = remote;
  }

  /** Returns the requests by which volumes were opened, in order. */
  List<OpenRequest> requests() {
    return List.copyOf(requests);
  }

  /** Returns the rebuilds that were requested, in order. */
  List<FakeRebuild> rebuilds() {
    return List.copyOf(rebuilds);
  }

  /** Waits for the next rebuild request. */
  FakeRebuild awaitRebuild() throws InterruptedException {
    FakeRebuild next = begun.poll(30, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }

  @Override
  public String name() {
    return below.name();
  }

  @Override
  public Set<EngineCapability> capabilities() {
    Set<EngineCapability> capabilities = EnumSet.copyOf(below.capabilities());
    capabilities.add(EngineCapability.REBUILD);
    capabilities.add(EngineCapability.REPLICA_REMOVAL);
    if (!remote) {
      capabilities.remove(EngineCapability.REMOTE_REPLICAS);
    }
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
    requests.add(request);
    return new Volume(below.open(request), request.listener());
  }

  /** A rebuild whose end is controlled by a test. */
  static final class FakeRebuild implements Rebuild {
    private final Volume volume;
    private final String replica;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final RebuildOptions options;
    private final BlockingQueue<RebuildOptions> changes = new LinkedBlockingQueue<>();
    private final CountDownLatch cancellation = new CountDownLatch(1);

    private FakeRebuild(Volume volume, String replica, RebuildOptions options) {
      this.volume = volume;
      this.replica = replica;
      this.options = options;
    }

    void finish() {
      volume.set(replica, MemberMode.RW);
      done.complete(null);
    }

    void fail(ErrorCode code) {
      volume.set(replica, MemberMode.ERR);
      done.completeExceptionally(new StorageException(code, "told to fail"));
    }

    /** Ends the rebuild without having copied. */
    void pretend() {
      done.complete(null);
    }

    RebuildOptions options() {
      return options;
    }

    /** Waits until the options change. */
    RebuildOptions awaitChange() throws InterruptedException {
      return changes.poll(30, TimeUnit.SECONDS);
    }

    void awaitCancellation() throws InterruptedException {
      assertThat(cancellation.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public String replica() {
      return replica;
    }

    @Override
    public long totalBytes() {
      return 4096;
    }

    @Override
    public long doneBytes() {
      return 1024;
    }

    @Override
    public void change(RebuildOptions changed) {
      changes.add(changed);
    }

    @Override
    public void cancel() {
      cancellation.countDown();
      done.completeExceptionally(new StorageException(ErrorCode.CONFLICT, "cancelled"));
    }

    @Override
    public CompletionStage<Void> done() {
      return done;
    }
  }

  /** Makes the next growth fail. */
  void failGrowth(ErrorCode code) {
    growthFailures.add(new StorageException(code, "told not to grow"));
  }

  private final class Volume implements RebuildableVolume, ReducibleVolume, ExpandableVolume {
    private final OpenVolume opened;
    private final EngineListener listener;
    private final Map<String, MemberMode> changed = new TreeMap<>();

    private Volume(OpenVolume opened, EngineListener listener) {
      this.opened = opened;
      this.listener = listener;
    }

    private void set(String replica, MemberMode mode) {
      below.current(replica, mode == MemberMode.RW);
      synchronized (this) {
        changed.put(replica, mode);
      }
      listener.replicaChanged(replica, mode, "told to");
    }

    @Override
    public BlockDevice device() {
      return opened.device();
    }

    @Override
    public synchronized Map<String, MemberMode> replicas() {
      Map<String, MemberMode> modes = new TreeMap<>(opened.replicas());
      modes.putAll(changed);
      return modes;
    }

    @Override
    public Rebuild rebuild(ReplicaLocation target, RebuildOptions options) {
      FakeRebuild rebuild = new FakeRebuild(this, target.replica(), options);
      set(target.replica(), MemberMode.WO);
      rebuilds.add(rebuild);
      begun.add(rebuild);
      return rebuild;
    }

    @Override
    public void expand(long newSizeBytes) throws StorageException {
      StorageException failure = growthFailures.poll();
      if (failure != null) {
        throw failure;
      }
      ((ExpandableVolume) opened).expand(newSizeBytes);
    }

    @Override
    public void removeReplica(String replica) {
      set(replica, MemberMode.ERR);
    }

    @Override
    public void close() throws StorageException {
      rebuilds.stream().filter(r -> r.volume == this).forEach(FakeRebuild::cancel);
      opened.close();
    }
  }
}
