package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparseEngineTest {
  private static final long SIZE = 64L << 20;

  @TempDir private Path disks;
  private SparseEngine engine;
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();

  @BeforeEach
  void start() throws Exception {
    engine = new SparseEngine();
  }

  @AfterEach
  void stop() {
    engine.stop();
  }

  private List<ReplicaLocation> replicas(int count) throws Exception {
    List<ReplicaLocation> locations = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      ReplicaLocation location =
          new ReplicaLocation(
              "vol", "vol-r-" + i, "node-1", disks.resolve("disk-" + i), "vol-" + i);
      engine.provisionReplica(location, SIZE);
      locations.add(location);
    }
    return locations;
  }

  private OpenVolume open(List<ReplicaLocation> locations) throws Exception {
    return engine.open(new OpenRequest("vol", SIZE, "node-1", locations, register, listener));
  }

  @Test
  void writtenBytesAreInEveryReplicaAtTheirOffset() throws Exception {
    List<ReplicaLocation> locations = replicas(3);
    byte[] content = "a replica's head is a plain image".getBytes(StandardCharsets.US_ASCII);
    try (OpenVolume volume = open(locations)) {
      assertThat(volume.replicas()).hasSize(3).containsValue(MemberMode.RW);
      DeviceIo io = new DeviceIo(volume.device());
      io.write(12_345, content);
      io.flush();
      assertThat(io.read(12_345, content.length)).isEqualTo(content);
    }
    for (ReplicaLocation location : locations) {
      byte[] head = Files.readAllBytes(location.directory().resolve("volume-head-000.img"));
      assertThat(head).hasSize((int) SIZE);
      assertThat(head).containsSequence(content);
    }
    try (OpenVolume volume = open(locations)) {
      assertThat(new DeviceIo(volume.device()).read(12_345, content.length)).isEqualTo(content);
    }
  }

  private static long missedMaps(ReplicaLocation location) throws Exception {
    try (Stream<Path> files = Files.list(location.directory().resolve("holdfast"))) {
      return files.filter(file -> file.getFileName().toString().startsWith("missed-")).count();
    }
  }

  @Test
  void missedRegionsAreForgottenWhenAReplicaIsRemovedPermanently() throws Exception {
    List<ReplicaLocation> locations = replicas(3);
    open(locations).close();
    Path away = disks.resolve("away");
    Files.move(locations.get(2).directory(), away);
    open(locations).close();
    open(locations).close();
    assertThat(missedMaps(locations.get(0))).isEqualTo(1);
    open(locations.subList(0, 2)).close();
    assertThat(missedMaps(locations.get(0))).isZero();
    assertThat(missedMaps(locations.get(1))).isZero();
  }
}
