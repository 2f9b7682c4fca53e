package dev.holdfast.datapath.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReclaimingVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.Scrub;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubResult;
import dev.holdfast.engine.ScrubbableVolume;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** An engine of one process over disks that outlive it; refuses to open a volume twice. */
public final class FakeEngine implements EngineProvider {
  private final String name;
  private final Disks disks;
  private final Map<String, Volume> open = new ConcurrentHashMap<>();
  private final Queue<StorageException> openFailures = new ConcurrentLinkedQueue<>();
  private final Queue<StorageException> operationFailures = new ConcurrentLinkedQueue<>();
  private final List<FakeScrub> scrubs = new CopyOnWriteArrayList<>();
  private volatile boolean holdScrubs;
  private volatile SnapshotObserver observer = new SnapshotObserver() {};
  private final CountDownLatch asked = new CountDownLatch(1);
  private volatile CountDownLatch openings = new CountDownLatch(0);

  /** Content of the disks, which outlives processes. */
  public static final class Disks {
    private final Map<String, byte[]> replicas = new ConcurrentHashMap<>();
    private final Set<String> behind = ConcurrentHashMap.newKeySet();
    private final Map<String, FakeChain> chains = new ConcurrentHashMap<>();

    public Set<String> replicas() {
      return new TreeSet<>(replicas.keySet());
    }

    private MemberMode mode(String replica) {
      boolean current = replicas.containsKey(replica) && !behind.contains(replica);
      return current ? MemberMode.RW : MemberMode.ERR;
    }

    public void lose(String replica) {
      replicas.remove(replica);
    }

    /** The snapshots of a volume. */
    public FakeChain chain(String volume) {
      return chains.computeIfAbsent(volume, name -> new FakeChain());
    }
  }

  public FakeEngine(String name, Disks disks) {
    this.name = name;
    this.disks = disks;
  }

  /** Called before each change of a snapshot. */
  public interface SnapshotObserver {
    /** Called before a snapshot is taken, if it does not exist. */
    default void taking(String volume, String snapshot) {}

    /** Called before a snapshot is removed. */
    default void removing(String volume, String snapshot) {}
  }

  /** Sets whether later openings find a replica current. */
  public void current(String replica, boolean value) {
    if (value) {
      disks.behind.remove(replica);
    } else {
      disks.behind.add(replica);
    }
  }

  public void observe(SnapshotObserver newObserver) {
    observer = newObserver;
  }

  /** Makes the next operation on snapshots fail. */
  public void failOperation(ErrorCode code) {
    operationFailures.add(new StorageException(code, "told to fail"));
  }

  /** Keeps comparisons running until the test ends them. */
  public void holdScrubs() {
    holdScrubs = true;
  }

  /** Returns the last started comparison, empty if none was started. */
  public Optional<FakeScrub> latestScrub() {
    return scrubs.isEmpty() ? Optional.empty() : Optional.of(scrubs.get(scrubs.size() - 1));
  }

  /** Makes the next opening fail. */
  public void failOpening(ErrorCode code) {
    openFailures.add(new StorageException(code, "told to fail"));
  }

  /** Delays openings until the latch is open. */
  public void holdOpenings(CountDownLatch latch) {
    openings = latch;
  }

  /** Waits until an opening is requested. */
  public void awaitOpening() throws InterruptedException {
    if (!asked.await(30, TimeUnit.SECONDS)) {
      throw new AssertionError("nothing was opened");
    }
  }

  public Optional<Volume> volume(String volume) {
    return Optional.ofNullable(open.get(volume));
  }

  public Set<String> openVolumes() {
    return new TreeSet<>(open.keySet());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(
        EngineCapability.REPLICATED,
        EngineCapability.REMOTE_REPLICAS,
        EngineCapability.SNAPSHOTS,
        EngineCapability.TRIM_RECLAIM,
        EngineCapability.EXPANSION,
        EngineCapability.SCRUBBING);
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) {
    disks.replicas.putIfAbsent(replica.replica(), new byte[(int) sizeBytes]);
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) throws StorageException {
    if (open.containsKey(replica.volume())) {
      throw new StorageException(ErrorCode.BUSY, replica.replica() + " is open");
    }
    disks.replicas.remove(replica.replica());
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) {
    return Optional.ofNullable(disks.replicas.get(replica.replica()))
        .map(bytes -> new ReplicaInfo(bytes.length, bytes.length, true));
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    asked.countDown();
    try {
      openings.await();
    } catch (InterruptedException e) {
      throw new StorageException(ErrorCode.INTERNAL, "interrupted", e);
    }
    StorageException failure = openFailures.poll();
    if (failure != null) {
      throw failure;
    }
    Membership before = request.register().read();
    Membership next =
        new Membership(
            before.generation() + 1, request.nodeId(), before.generation() + 1, 1, new TreeSet<>());
    if (!request.register().compareAndSet(before, next)) {
      throw new StorageException(ErrorCode.CONFLICT, "another engine opens it");
    }
    Volume volume = new Volume(request);
    if (open.putIfAbsent(request.volume(), volume) != null) {
      throw new AssertionError(request.volume() + " is opened twice");
    }
    return volume;
  }

  /** An open volume over the bytes of all its replicas. */
  public final class Volume implements ReclaimingVolume, ExpandableVolume, ScrubbableVolume {
    private final String volume;
    private final FakeChain chain;
    private volatile long size;
    private volatile boolean trimsRemove;
    private final CountDownLatch told = new CountDownLatch(1);
    private final EngineListener listener;
    private final Map<String, MemberMode> modes = new TreeMap<>();
    private final Device device = new Device();

    private Volume(OpenRequest request) {
      volume = request.volume();
      chain = disks.chain(volume);
      size = request.sizeBytes();
      listener = request.listener();
      for (ReplicaLocation replica : request.replicas()) {
        modes.put(replica.replica(), disks.mode(replica.replica()));
      }
    }

    @Override
    public BlockDevice device() {
      return device;
    }

    @Override
    public synchronized Map<String, MemberMode> replicas() {
      return Map.copyOf(modes);
    }

    private void requireOpen() throws StorageException {
      if (open.get(volume) != this) {
        throw new StorageException(ErrorCode.IO, volume + " is closed");
      }
      StorageException failure = operationFailures.poll();
      if (failure != null) {
        throw failure;
      }
    }

    @Override
    public SnapshotInfo createSnapshot(SnapshotRequest request) throws StorageException {
      requireOpen();
      observer.taking(volume, request.name());
      chain.create(request, device.current().get(0));
      return chain.find(request.name()).orElseThrow();
    }

    @Override
    public void trimRemovesSnapshots(boolean enabled) {
      trimsRemove = enabled;
      if (enabled) {
        told.countDown();
      }
    }

    /** Waits until trims were set to remove snapshots. */
    public void awaitTrimsRemove() throws InterruptedException {
      if (!told.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("trims were not told to give snapshots up");
      }
    }

    @Override
    public List<SnapshotInfo> snapshots() throws StorageException {
      requireOpen();
      return chain.list();
    }

    @Override
    public void deleteSnapshot(String name) throws StorageException {
      requireOpen();
      observer.removing(volume, name);
      chain.delete(name);
    }

    @Override
    public void revert(String name) throws StorageException {
      requireOpen();
      byte[] content = chain.revert(name);
      device.current().forEach(b -> System.arraycopy(content, 0, b, 0, content.length));
    }

    @Override
    public void purge() throws StorageException {
      requireOpen();
      chain.purge();
    }

    @Override
    public BlockDevice openSnapshot(String name) throws StorageException {
      requireOpen();
      return new FakeSnapshotDevice(chain.content(name));
    }

    @Override
    public void changes(String older, String newer, ExtentVisitor visitor) {
      visitor.extent(0, size, ExtentKind.DATA);
    }

    @Override
    public void expand(long newSizeBytes) throws StorageException {
      requireOpen();
      disks.replicas.replaceAll(
          (name, bytes) ->
              modes.containsKey(name) ? Arrays.copyOf(bytes, (int) newSizeBytes) : bytes);
      size = newSizeBytes;
    }

    @Override
    public Scrub scrub(String snapshot, ScrubOptions options) throws StorageException {
      requireOpen();
      FakeScrub scrub = new FakeScrub(snapshot, options);
      if (!holdScrubs) {
        String checksum = Integer.toHexString(Arrays.hashCode(chain.content(snapshot)));
        scrub.end(new ScrubResult(snapshot, checksum, List.of(), 0, List.of()));
      }
      scrubs.add(scrub);
      return scrub;
    }

    public void dropReplica(String replica) {
      synchronized (this) {
        modes.put(replica, MemberMode.ERR);
      }
      listener.replicaChanged(replica, MemberMode.ERR, "told to drop it");
    }

    /** Reports a reason for waiting requests without holding them. */
    public void tellWaiting(Optional<RequestWait> wait) {
      listener.waiting(wait);
    }

    /** Refuses requests, as after a later opening; {@link #fail} then reports it. */
    public void refuseRequests() {
      device.refuse();
    }

    public void fail(ErrorCode code) {
      listener.failed(new StorageException(code, "told to give up"));
    }

    @Override
    public void close() {
      device.close();
      open.remove(volume, this);
    }

    private final class Device implements BlockDevice {
      private boolean closed;
      private boolean refusing;

      private synchronized void refuse() {
        refusing = true;
      }

      private synchronized void run(
          long offset, long length, Completion completion, Runnable effect) {
        if (refusing) {
          completion.completed(
              new StorageException(ErrorCode.FORBIDDEN, volume + " was taken over"));
        } else if (closed) {
          completion.completed(new StorageException(ErrorCode.IO, volume + " is closed"));
        } else if (BlockRanges.inside(offset, length, size, completion)) {
          effect.run();
          completion.completed(null);
        }
      }

      private List<byte[]> current() {
        List<byte[]> bytes = new ArrayList<>();
        replicas()
            .forEach(
                (replica, mode) -> {
                  if (mode == MemberMode.RW) {
                    bytes.add(disks.replicas.get(replica));
                  }
                });
        return bytes;
      }

      @Override
      public long size() {
        return size;
      }

      @Override
      public int blockSize() {
        return 4096;
      }

      @Override
      public void read(long offset, ByteBuffer target, Completion completion) {
        int length = target.remaining();
        run(offset, length, completion, () -> target.put(current().get(0), (int) offset, length));
      }

      @Override
      public void write(long offset, ByteBuffer source, int flags, Completion completion) {
        byte[] data = new byte[source.remaining()];
        source.get(data);
        run(
            offset,
            data.length,
            completion,
            () -> current().forEach(b -> System.arraycopy(data, 0, b, (int) offset, data.length)));
      }

      @Override
      public void flush(Completion completion) {
        run(0, 0, completion, () -> {});
      }

      @Override
      public void trim(long offset, long length, int flags, Completion completion) {
        if (trimsRemove) {
          chain.list().stream()
              .filter(snapshot -> snapshot.children().contains(SnapshotInfo.HEAD))
              .forEach(snapshot -> chain.delete(snapshot.name()));
        }
        writeZeroes(offset, length, flags, completion);
      }

      @Override
      public void writeZeroes(long offset, long length, int flags, Completion completion) {
        write(offset, ByteBuffer.allocate((int) length), flags, completion);
      }

      @Override
      public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
        run(offset, length, completion, () -> visitor.extent(offset, length, ExtentKind.DATA));
      }

      @Override
      public synchronized void close() {
        closed = true;
      }
    }
  }
}
