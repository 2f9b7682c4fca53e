package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists of the clusters that differ between snapshots. */
class SpdkChangesTest {
  private static final int CLUSTER = 1 << 20;
  private static final int COUNT = 16;
  private static final long SIZE = (long) COUNT * CLUSTER;

  @TempDir private Path folder;
  private final Random random = new Random(7);
  private SpdkLab lab;
  private SpdkEngine engine;
  private SpdkVolume volume;

  /** Creates the lab of a test. */
  SpdkLab lab() {
    return new SpdkLab();
  }

  @BeforeEach
  void open() throws Exception {
    lab = lab();
    engine = lab.start();
    var unused = engine.prepareDisk(lab.disk(folder, 1));
    engine.provisionReplica(replica("vol"), SIZE);
    volume = open("vol");
  }

  private ReplicaLocation replica(String name) throws Exception {
    return new ReplicaLocation(name, name + "-r-1", lab.disk(folder, 1), name + "-1", false);
  }

  private SpdkVolume open(String name) throws Exception {
    return (SpdkVolume)
        engine.open(
            new OpenRequest(
                name,
                SIZE,
                "node-1",
                List.of(replica(name)),
                new InMemoryRegister(),
                new RecordingListener()));
  }

  @AfterEach
  void stop() throws Exception {
    volume.close();
    lab.stop(engine);
  }

  /** Writes a few random bytes into a cluster. */
  private void write(int cluster) throws Exception {
    byte[] content = new byte[5_000];
    random.nextBytes(content);
    new DeviceIo(volume.device())
        .write((long) cluster * CLUSTER + random.nextInt(CLUSTER - 5_000), content);
  }

  private void snapshot(String name) throws StorageException {
    var unused = volume.createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  /**
   * Returns the clusters that are reported as changed. Requires that the report covers the whole
   * size.
   */
  private BitSet changes(String older, String newer) throws StorageException {
    BitSet found = new BitSet();
    List<Long> ends = new ArrayList<>(List.of(0L));
    volume.changes(
        older,
        newer,
        (offset, length, kind) -> {
          assertThat(offset).isEqualTo(ends.get(ends.size() - 1));
          ends.add(offset + length);
          if (kind == ExtentKind.DATA) {
            found.set((int) (offset / CLUSTER), (int) ((offset + length - 1) / CLUSTER) + 1);
          }
          return true;
        });
    assertThat(ends.get(ends.size() - 1)).isEqualTo(SIZE);
    return found;
  }

  private static BitSet set(int... clusters) {
    BitSet set = new BitSet();
    Arrays.stream(clusters).forEach(set::set);
    return set;
  }

  private void assertNothingIsLeft() throws Exception {
    try (Stream<Path> files = Files.list(lab.processes());
        SpdkTarget target = lab.target()) {
      assertThat(files.filter(file -> file.toString().contains("hf-clusters"))).isEmpty();
      assertThat(target.call("bdev_get_bdevs", SpdkTarget.params()).toString())
          .doesNotContain("hf-clusters");
    }
  }

  @Test
  void clustersOfTheSnapshotsInBetweenAreReported() throws Exception {
    write(1);
    write(3);
    snapshot("s1");
    write(3);
    write(7);
    snapshot("s2");
    snapshot("s3");
    write(COUNT - 1);
    snapshot("s4");
    assertThat(changes("", "s1")).isEqualTo(set(1, 3));
    long before = lab.bytesRead();
    assertThat(changes("s1", "s2")).isEqualTo(set(3, 7));
    assertThat(lab.bytesRead() - before).as("two clusters of both contents").isEqualTo(4L << 20);
    assertThat(changes("s2", "s3")).isEqualTo(set());
    assertThat(lab.bytesRead() - before).isEqualTo(4L << 20);
    assertThat(changes("s1", "s4")).isEqualTo(set(3, 7, COUNT - 1));
    assertThat(changes("", "s4")).isEqualTo(set(1, 3, 7, COUNT - 1));
    volume.deleteSnapshot("s2");
    assertThat(changes("s1", "s4")).isEqualTo(set(3, 7, COUNT - 1));
    assertThat(changes("s1", SnapshotInfo.HEAD)).isEqualTo(set(3, 7, COUNT - 1));
    assertNothingIsLeft();
  }

  @Test
  void everyBlockThatDiffersIsInTheList() throws Exception {
    byte[] before = new byte[COUNT * CLUSTER];
    String older = "";
    for (int round = 1; round <= 5; round++) {
      for (int i = 0; i < 4; i++) {
        write(random.nextInt(COUNT));
      }
      String newer = "s" + round;
      snapshot(newer);
      byte[] now = new DeviceIo(volume.device()).read(0, COUNT * CLUSTER);
      BitSet differs = new BitSet();
      for (int cluster = 0; cluster < COUNT; cluster++) {
        int from = cluster * CLUSTER;
        differs.set(
            cluster, !Arrays.equals(before, from, from + CLUSTER, now, from, from + CLUSTER));
      }
      assertThat(changes(older, newer)).as("between %s and %s", older, newer).isEqualTo(differs);
      before = now;
      older = newer;
    }
  }

  @Test
  void listOfACloneBeginsWithWhatTheCloneShares() throws Exception {
    write(1);
    snapshot("s0");
    write(3);
    snapshot("s1");
    engine.cloneReplica(
        replica("copy"), SIZE, new SnapshotContent(replica("vol"), "s1", "content"));
    SpdkVolume source = volume;
    try (SpdkVolume clone = open("copy")) {
      volume = clone;
      write(5);
      snapshot("c1");
      write(6);
      snapshot("c2");
      assertThat(changes("", "c2")).isEqualTo(set(1, 3, 5, 6));
      assertThat(changes("c1", "c2")).isEqualTo(set(6));
    } finally {
      volume = source;
    }
  }

  @Test
  void fileAndDeviceOfAKilledEngineAreRemoved() throws Exception {
    Path left = lab.processes().resolve("hf-clusters-left");
    try (SpdkTarget target = lab.target()) {
      makeSparse(left);
      target.run(
          "bdev_aio_create",
          SpdkTarget.params()
              .put("name", "hf-clusters-left")
              .put("filename", left.toString())
              .put("block_size", 4_096));
    }
    write(2);
    snapshot("s1");
    assertThat(changes("", "s1")).isEqualTo(set(2));
    assertNothingIsLeft();
  }

  private static void makeSparse(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(CLUSTER);
    }
  }
}
