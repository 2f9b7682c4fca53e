package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.OneNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A volume that continues, by a salvage of the administrator, with a stale replica. */
@Timeout(120)
class SalvageTest {
  private static final int BLOCK = 4096;
  // In another region than the start of the volume.
  private static final long FAR = 32L << 20;

  @TempDir private Path disks;
  private OneNode node;

  @BeforeEach
  void start() throws Exception {
    node = new OneNode(disks, 3);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private void lose(OpenVolume volume, int replica, int value) throws Exception {
    node.breakDisk(replica);
    new DeviceIo(volume.device()).write(0, OneNode.filled(BLOCK, value));
    node.mend(replica);
    assertThat(volume.replicas()).containsEntry("r-" + replica, MemberMode.ERR);
  }

  private void awaitSingleLayer(int replica) throws Exception {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (layers(replica) > 1) {
      assertThat(System.nanoTime()).as("coalesced in time").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private long layers(int replica) throws Exception {
    try (Stream<Path> files = Files.list(node.replica(replica).directory())) {
      return files.filter(file -> file.toString().endsWith(".img")).count();
    }
  }

  // The marks from the loss of the third replica do not describe its later writes.
  @Test
  void marksOfASalvagedReplicaAboutOthersAreIgnored() throws Exception {
    try (OpenVolume volume = node.open()) {
      DeviceIo device = new DeviceIo(volume.device());
      lose(volume, 3, 1);
      lose(volume, 1, 2);
      node.rebuild(volume, node.replica(3));
      // Until then its head is above a layer that the first replica lacks, so its whole head is
      // compared.
      awaitSingleLayer(3);
      device.write(FAR, OneNode.filled(BLOCK, 3));
    }
    // Closed cleanly, so the third replica has no mark of that.
    try (OpenVolume volume = node.open(node.replicas().subList(1, 3))) {
      lose(volume, 3, 4);
    }
    List<ReplicaLocation> left = List.of(node.replica(1), node.replica(3));
    try (OpenVolume volume = node.salvage("r-1", left)) {
      DeviceIo device = new DeviceIo(volume.device());
      assertThat(device.read(0, BLOCK)).isEqualTo(OneNode.filled(BLOCK, 1));
      assertThat(device.read(FAR, BLOCK)).isEqualTo(OneNode.filled(BLOCK, 0));
      node.rebuild(volume, node.replica(3));
      lose(volume, 1, 5);
      assertThat(device.read(FAR, BLOCK)).isEqualTo(OneNode.filled(BLOCK, 0));
    }
  }
}
