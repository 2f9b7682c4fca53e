package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.disk.CrashPoint;
import dev.holdfast.engine.sparse.internal.disk.Mutant;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.SimulatedReplica;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The disk of the local replica is full or broken while the other replica is unreachable. */
@Timeout(60)
class FullAndAwayTest {
  private static final long SIZE = 64L << 20;
  private static final Duration SHORT = Duration.ofMillis(300);

  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final Map<Path, SimulatedDisk> disks = new HashMap<>();
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private final ReplicaHost far = new ReplicaHost(this::directory, "boot of a");
  private final MemoryNetwork network = new MemoryNetwork(node -> far, executor);
  private final SparseEngine engine =
      new SparseEngine(
          this::directory,
          "boot of here",
          Executors.newCachedThreadPool(),
          Duration.ofMillis(20),
          network);
  private SimulatedDisk near;
  private ReplicaLocation there;
  private OpenVolume volume;

  @BeforeEach
  void open() throws Exception {
    ReplicaLocation here = replica("here");
    there = replica("a");
    List<ReplicaLocation> replicas = List.of(here, there);
    near = disks.get(here.directory());
    OpenOptions options = new OpenOptions(Set.of(), false, SHORT);
    volume =
        engine.open(new OpenRequest("vol", SIZE, "here", replicas, register, listener, options));
  }

  @AfterEach
  void stop() {
    near.setFull(false);
    network.heal("a");
    engine.stop();
    executor.shutdown();
  }

  private ReplicaDirectory directory(Path path) {
    return disks.get(path).directory();
  }

  private ReplicaLocation replica(String node) throws Exception {
    ReplicaLocation location =
        new ReplicaLocation("vol", "r-" + node, node, Path.of("/disk-" + node), "vol", false);
    SimulatedDisk disk = new SimulatedDisk(new CrashPoint(), Mutant.NONE);
    SimulatedReplica.provision(disk, location, "id-" + node, SIZE);
    disks.put(location.directory(), disk);
    return location;
  }

  private Outcome write(long offset) {
    Outcome outcome = new Outcome();
    volume.device().write(offset, DeviceIo.direct(new byte[4096]), IoFlags.NONE, outcome);
    return outcome;
  }

  private void assertNoSpace(Outcome outcome) {
    assertThatThrownBy(outcome::get)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SPACE));
  }

  @Test
  void firstChangeOfARegionFailsWithNoSpaceOnAFullDisk() throws Exception {
    network.cutOff("a");
    near.setFull(true);
    assertNoSpace(write(0));
    near.setFull(false);
    write(0).get();
  }

  @Test
  void changeThatNoReplicaTookFailsWithNoSpace() throws Exception {
    write(0).get();
    network.cutOff("a");
    near.setFull(true);
    assertNoSpace(write(8192));
    near.setFull(false);
    write(8192).get();
    listener.awaitMode("r-a", MemberMode.ERR);
  }

  @Test
  void fullReplicaThatIsLeftAloneWaitsForRoom() throws Exception {
    write(0).get();
    // Before the other replica becomes unreachable, because its drop needs space and may begin at
    // once.
    near.setFull(true);
    network.cutOff("a");
    // Needs no room itself.
    Outcome waiting = write(0);
    near.awaitRefusals(3);
    assertThat(waiting.calls()).isZero();
    near.setFull(false);
    waiting.get();
    listener.awaitMode("r-a", MemberMode.ERR);
    assertThat(register.record().members()).containsExactly("id-here");
  }

  @Test
  void farReplicaThatIsLeftAloneAndFullWaitsForRoomWhenItsLinkIsLostToo() throws Exception {
    SimulatedDisk away = disks.get(there.directory());
    write(0).get();
    away.setFull(true);
    near.setBroken(true);
    // The write needs no space. The drop of the local replica does, and then a new session.
    Outcome waiting = write(0);
    away.awaitRefusals(3);
    network.hangUp("a");
    away.awaitRefusals(10);
    assertThat(waiting.calls()).isZero();
    away.setFull(false);
    waiting.get();
    listener.awaitMode("r-here", MemberMode.ERR);
    assertThat(register.record().members()).containsExactly("id-a");
  }

  @Test
  void errorOfABrokenDiskIsReportedBeforeAnUnreachableReplica() {
    network.cutOff("a");
    near.setBroken(true);
    assertThatThrownBy(write(0)::get)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IO));
  }
}
