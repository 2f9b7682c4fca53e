package dev.holdfast.engine.sparse.internal.rebuild;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.disk.CrashPoint;
import dev.holdfast.engine.sparse.internal.disk.Mutant;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.replica.SimulatedReplica;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No member takes a snapshot. The result at the target of a rebuild does not count. */
@Timeout(120)
class SnapshotMeetsRebuildTest {
  // A single piece of a rebuild, so that no other piece is in flight.
  private static final long SIZE = 4L << 20;

  private final Map<Path, SimulatedDisk> disks = new HashMap<>();
  private final InMemoryRegister register = new InMemoryRegister();
  private final Set<Path> makesNothing = ConcurrentHashMap.newKeySet();
  private SparseEngine engine;
  private SimulatedDisk member;
  private Path target;
  private OpenVolume volume;
  private DeviceIo io;

  @BeforeEach
  void start() {
    engine =
        new SparseEngine(
            this::open,
            "boot",
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            (location, token, timeout, listener) -> {
              throw new AssertionError("all replicas are here");
            });
  }

  @AfterEach
  void stop() {
    engine.stop();
  }

  private ReplicaLocation replica(int number) throws Exception {
    ReplicaLocation location =
        new ReplicaLocation("vol", "r-" + number, "node", Path.of("/disk-" + number), "vol");
    SimulatedDisk disk = new SimulatedDisk(new CrashPoint(), Mutant.NONE);
    SimulatedReplica.provision(disk, location, "id-" + number, SIZE);
    disks.put(location.directory(), disk);
    return location;
  }

  private ReplicaDirectory open(Path path) {
    ReplicaDirectory directory = disks.get(path).directory();
    return (ReplicaDirectory)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ReplicaDirectory.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("create") && makesNothing.contains(path)) {
                throw new IOException("Input/output error");
              }
              try {
                return method.invoke(directory, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void openWithTarget() throws Exception {
    ReplicaLocation first = replica(1);
    ReplicaLocation second = replica(2);
    member = disks.get(first.directory());
    target = second.directory();
    volume =
        engine.open(
            new OpenRequest(
                "vol", SIZE, "node", List.of(first), register, new RecordingListener()));
    io = new DeviceIo(volume.device());
    byte[] content = new byte[2 << 20];
    Arrays.fill(content, (byte) 7);
    io.write(0, content);
    Rebuild rebuild = ((RebuildableVolume) volume).rebuild(second, new RebuildOptions(1));
    // The copy is so slow that its next part would start after days.
    while (rebuild.doneBytes() == 0) {
      Thread.onSpinWait();
    }
    io.write(0, new byte[4096]);
  }

  private void assertSnapshotFails(ErrorCode code) {
    SnapshotRequest request = new SnapshotRequest("s", true, Instant.EPOCH, Map.of());
    assertThatThrownBy(() -> ((SnapshotVolume) volume).createSnapshot(request))
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void failureOfTheMembersIsReportedWhenOnlyTheTargetSucceeds() throws Exception {
    openWithTarget();
    member.setSyncFails(() -> true);
    assertSnapshotFails(ErrorCode.IO);
  }

  @Test
  void membersThatRefuseItStayWhenTheTargetFails() throws Exception {
    openWithTarget();
    member.setFull(true);
    makesNothing.add(target);
    assertSnapshotFails(ErrorCode.NO_SPACE);
    member.setFull(false);
    io.write(4096, new byte[4096]);
    assertThat(volume.replicas()).containsEntry("r-1", MemberMode.RW);
  }
}
