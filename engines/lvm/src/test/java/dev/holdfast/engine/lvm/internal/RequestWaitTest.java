package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports of the engine to the platform about requests that wait. */
class RequestWaitTest {
  private static final long SIZE = 64L << 20;
  private static final Blob BLOB = new Blob("vg0", "a");

  @TempDir private Path folder;
  private Instant now = Instant.EPOCH;
  private List<PoolWait> waits = List.of();

  @Test
  void openVolumeTellsThatItsPoolIsFullUntilTheGroupHasRoom() throws Exception {
    SimulatedLab lab = new SimulatedLab();
    LvmEngine engine = lab.start();
    DiskLocation disk = lab.disk(folder, 1);
    RecordingListener listener = new RecordingListener();
    var unused = engine.prepareDisk(disk);
    ReplicaLocation replica = new ReplicaLocation("vol", "vol-r", disk, "vol-1", false);
    engine.provisionReplica(replica, SIZE);
    LvmVolume volume =
        (LvmVolume)
            engine.open(
                new OpenRequest(
                    "vol", SIZE, "node-1", List.of(replica), new InMemoryRegister(), listener));
    var unusedSnapshot =
        volume.createSnapshot(new SnapshotRequest("s", true, Instant.EPOCH, Map.of()));
    engine.lookAfterSpace();
    assertThat(listener.requestWait()).isEmpty();

    String pool = "hfp-" + volume.replica().place().head().name();
    long free = engine.inspectDisk(disk).orElseThrow().freeBytes();
    lab.simulation().foreign("filler", free);
    lab.simulation().fill(pool, SIZE, 4096);
    engine.lookAfterSpace();
    RequestWait told = listener.requestWait().orElseThrow();
    assertThat(told.reason()).isEqualTo("GroupFull");
    assertThat(told.message()).contains(pool).endsWith("vgextend vg0 DISK");

    lab.simulation().foreign("filler", 4096);
    engine.lookAfterSpace();
    assertThat(listener.requestWait()).isEmpty();
    volume.close();
    lab.stop(engine);
  }

  private static PoolWait wait(PoolWait.Cause cause, String message) {
    return new PoolWait("vg0", "hfp-a", Set.of(BLOB.name()), cause, message);
  }

  /**
   * A living host renews its lease continuously, and each report is a write to the store. Therefore
   * reports are limited.
   */
  @Test
  void newTimesOfOneReasonAreToldRarelyAndNewReasonsAtOnce() {
    List<String> told = new ArrayList<>();
    RecordingListener listener = new RecordingListener();
    WaitWatch watch =
        new WaitWatch(() -> List.of(new WaitWatch.User(group -> waits, BLOB, listener)), () -> now);
    for (int second = 0; second <= 40; second += 2) {
      now = Instant.EPOCH.plusSeconds(second);
      waits = List.of(wait(PoolWait.Cause.LOCKED, "renewed at " + second));
      watch.lookAtAll();
      told.add(listener.requestWait().map(RequestWait::message).orElse(""));
    }
    assertThat(Set.copyOf(told)).containsExactlyInAnyOrder("renewed at 0", "renewed at 30");
    waits = List.of(wait(PoolWait.Cause.MOVING, "it moves"));
    watch.lookAtAll();
    assertThat(listener.requestWait()).contains(new RequestWait("PoolMoves", "it moves"));
    waits = List.of();
    watch.lookAtAll();
    assertThat(listener.requestWait()).isEqualTo(Optional.empty());
  }
}
