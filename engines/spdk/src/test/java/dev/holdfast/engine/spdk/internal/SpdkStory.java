package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A volume with replicas on two nodes, which several threads use and change at the same time. It
 * moves between the nodes; its users wait during a move.
 */
final class SpdkStory {
  static final String FIRST = "node-1";
  private static final String SECOND = "node-2";
  private static final int MIB = 1 << 20;
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(2);
  private static final int THOUSAND = 1_000;

  private final SpdkCluster cluster;
  private final List<ReplicaLocation> replicas;
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private final ReentrantReadWriteLock moving = new ReentrantReadWriteLock(true);

  /**
   * Held during the rebuild of a replica, so that neither another replica nor the target changes.
   */
  private final ReentrantLock whole = new ReentrantLock();

  private final AtomicInteger names = new AtomicInteger();
  private final Map<String, List<StoryWriter.Moment>> moments = new ConcurrentHashMap<>();
  private final List<StoryWriter> writers = new ArrayList<>();
  private volatile String node = FIRST;
  private SpdkVolume volume;
  private NativeExport export;
  private volatile URI endpoint;

  SpdkStory(SpdkCluster cluster) throws Exception {
    this.cluster = cluster;
    this.replicas = cluster.provision("vol", FIRST, SECOND);
    open();
  }

  /** An operation on the volume. */
  interface Operation {
    void run() throws Exception;
  }

  private void open() throws Exception {
    volume = cluster.open(node, replicas, register, listener);
    export = volume.export(cluster.lab(node).request("nvmeof", "vol"));
    endpoint = export.endpoints().get(0);
  }

  /** Adds a writer through the device of the volume. */
  StoryWriter device() {
    return added(
        new BlockWriter.Place() {
          @Override
          public byte[] read(long offset, int length) throws Exception {
            moving.readLock().lock();
            try {
              return new DeviceIo(volume.device()).read(offset, length);
            } finally {
              moving.readLock().unlock();
            }
          }

          @Override
          public void write(long offset, byte[] content) throws Exception {
            moving.readLock().lock();
            try {
              new DeviceIo(volume.device()).write(offset, content);
            } finally {
              moving.readLock().unlock();
            }
          }
        });
  }

  /** Adds a writer as a host, which connects to the node that serves the volume. */
  StoryWriter host() throws Exception {
    ReconnectingHost host = new ReconnectingHost(() -> cluster.lab(node).connect(endpoint));
    return added(
        new BlockWriter.Place() {
          @Override
          public byte[] read(long offset, int length) throws Exception {
            return host.read(offset, length);
          }

          @Override
          public void write(long offset, byte[] content) throws Exception {
            host.write(offset, content);
          }
        });
  }

  private StoryWriter added(BlockWriter.Place place) {
    StoryWriter writer = new StoryWriter(place, writers.size());
    writers.add(writer);
    return writer;
  }

  /** Repeats an operation while another operation or a restoration prevents it. */
  private void repeated(Operation operation) throws Exception {
    long end = System.nanoTime() + PATIENCE;
    while (true) {
      moving.readLock().lock();
      try {
        operation.run();
        return;
      } catch (StorageException e) {
        boolean later =
            e.code() == ErrorCode.BUSY
                || e.code() == ErrorCode.UNREACHABLE
                || e.code() == ErrorCode.CONFLICT;
        if (!later || System.nanoTime() > end) {
          throw e;
        }
      } finally {
        moving.readLock().unlock();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /** Takes a snapshot, and checks that it contains the writes up to that time. */
  void snapshot() throws Exception {
    String name = "s" + names.incrementAndGet();
    repeated(
        () -> {
          List<List<Long>> before = writers.stream().map(StoryWriter::answered).toList();
          var unused =
              volume.createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
          List<StoryWriter.Moment> moment = new ArrayList<>();
          for (int i = 0; i < writers.size(); i++) {
            moment.add(new StoryWriter.Moment(before.get(i), writers.get(i).sent()));
          }
          moments.put(name, moment);
        });
  }

  /** Removes a replica and rebuilds it. */
  void rebuild() throws Exception {
    ReplicaLocation target = replicas.get(names.get() % 2);
    whole.lock();
    moving.readLock().lock();
    try {
      repeated(() -> volume.removeReplica(target.replica()));
      repeated(
          () -> {
            var unused =
                volume.rebuild(target, RebuildOptions.UNLIMITED).done().toCompletableFuture().get();
          });
    } finally {
      moving.readLock().unlock();
      whole.unlock();
    }
  }

  void grow() throws Exception {
    repeated(() -> volume.expand(volume.device().size() + MIB));
  }

  void limit() throws Exception {
    int thousands = 100 + names.get();
    repeated(() -> export.limit(new ExportLimits((long) thousands * THOUSAND, 0, 0, 0, 0, 0, 1)));
  }

  /** Moves the volume to the other node. */
  void move() throws Exception {
    moving.writeLock().lock();
    try {
      volume.close();
      node = node.equals(FIRST) ? SECOND : FIRST;
      open();
    } finally {
      moving.writeLock().unlock();
    }
  }

  /** Replaces the process of the target that serves the volume. */
  void replaceTarget() throws Exception {
    whole.lock();
    moving.readLock().lock();
    try {
      repeated(volume::pause);
      cluster.lab(node).killTarget();
      cluster.lab(node).startTarget();
      volume.resume(true);
      Eventually.holds("restoration", () -> !volume.isRestoring());
      assertThat(volume.replicas().values()).as("replicas").containsOnly(MemberMode.RW);
    } finally {
      moving.readLock().unlock();
      whole.unlock();
    }
  }

  /**
   * Fails unless the replicas of the closed volume are equal and each snapshot has its expected
   * content.
   */
  void check() throws Exception {
    long size = volume.device().size();
    for (String name : moments.keySet()) {
      BlockDevice device = volume.openSnapshot(name);
      byte[] content = new DeviceIo(device).read(0, (int) device.size());
      device.close();
      for (int i = 0; i < writers.size(); i++) {
        writers.get(i).check("snapshot " + name, content, moments.get(name).get(i));
      }
    }
    byte[] head = new DeviceIo(volume.device()).read(0, (int) size);
    for (StoryWriter writer : writers) {
      writer.check("live content", head, new StoryWriter.Moment(writer.answered(), writer.sent()));
    }
    assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
    assertThat(register.record().members()).hasSize(2);
    assertThat(listener.failure()).isEmpty();
    volume.close();
    List<String> contents = new ArrayList<>(moments.keySet());
    contents.add(SnapshotInfo.HEAD);
    cluster.requireEqual(replicas, register, contents);
  }
}
