package dev.holdfast.snapshot.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.host.LocalHost;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trims of the mounted filesystems of an open volume, on request. */
class FilesystemTrimTest {
  @TempDir private Path folder;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private RunningNode node;

  @BeforeEach
  void serve() throws Exception {
    store.create(Volume.of(VOLUME, VolumeSpec.EMPTY.withSize(VolumeResources.SIZE)));
    node = new RunningNode(store, folder);
    node.plugins.addEngine(new FakeEngine("fake", new FakeEngine.Disks()));
    store.create(VolumeResources.replica("vol-r-00000001", NODE, folder.resolve("disk")));
    Awaiting.until(store, Replica.KIND, "vol-r-00000001", r -> r.status().provisioned());
    store.create(VolumeResources.engine(NODE, DesireState.RUNNING));
    Awaiting.until(
        store, Engine.KIND, ENGINE, e -> e.status().currentState() == InstanceState.RUNNING);
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private RequestOutcome trim(VolumeMounts mounts, String request) throws Exception {
    node.add(new FilesystemTrimReconciler(node.volumes, mounts, new LocalHost()));
    Volume volume = store.get(Volume.KIND, VOLUME).orElseThrow();
    store.update(volume.withSpec(volume.spec().withTrimRequest(request)));
    return Awaiting.until(store, Volume.KIND, VOLUME, v -> !v.status().trim().isPending(request))
        .status()
        .trim();
  }

  @Test
  void mountedFilesystemReportsItsUnusedBlocks() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    LoopFilesystem filesystem = new LoopFilesystem(Files.createDirectory(folder.resolve("loop")));
    try {
      filesystem.write("large", new byte[16 << 20]);
      LoopFilesystem.check("sync", "--file-system", filesystem.mounted.toString());
      Files.delete(filesystem.mounted.resolve("large"));
      LoopFilesystem.check("sync", "--file-system", filesystem.mounted.toString());
      long before = kibibytes(filesystem.image);

      RequestOutcome outcome = trim(LoopFilesystem.mounts(folder, filesystem.device), "nightly/1");

      assertThat(outcome.error()).isEmpty();
      assertThat(outcome.result()).endsWith(" trimmed");
      assertThat(kibibytes(filesystem.image)).isLessThan(before - (15 << 10));
    } finally {
      filesystem.close();
    }
  }

  private static long kibibytes(Path image) throws Exception {
    return Long.parseLong(
        LoopFilesystem.check("du", "-k", image.toString()).replaceAll("\\s.*", ""));
  }

  @Test
  void volumeOfWhichNothingIsMountedIsSkipped() throws Exception {
    RequestOutcome outcome = trim(new VolumeMounts(folder), "nightly/1");
    assertThat(outcome.error()).isEmpty();
    assertThat(outcome.result()).isEqualTo("skipped: nothing of it is mounted on node " + NODE);
  }
}
