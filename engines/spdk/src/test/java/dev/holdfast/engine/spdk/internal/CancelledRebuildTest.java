package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.replica.LegNodes;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Calls that undo a cancelled rebuild. SPDK v26.05 ends with a segmentation fault when a volume is
 * deleted whose external snapshot was detached before. The simulator does not.
 */
class CancelledRebuildTest {
  private static final String FAR = "node-2";
  private static final int CONTENT = 4 << 20;

  @TempDir private Path disks;

  /** Calls of the target that is rebuilt. */
  private final Queue<String> calls = new ConcurrentLinkedQueue<>();

  private SpdkLab recorded(Fabric fabric, String node, LegNodes nodes) {
    return new SpdkLab(fabric, node, nodes) {
      @Override
      SpdkTarget target() {
        return new SpdkTarget(socket()) {
          @Override
          public JsonNode call(String method, ObjectNode params, Duration patience)
              throws StorageException {
            if (node.equals(FAR)) {
              calls.add(method + " " + params);
            }
            return super.call(method, params, patience);
          }
        };
      }
    };
  }

  @Test
  void headIsRemovedBeforeTheDeviceThatItReads() throws Exception {
    SpdkCluster cluster = new SpdkCluster(disks, this::recorded, 2);
    List<ReplicaLocation> replicas = cluster.provision("vol", "node-1", FAR);
    try (SpdkVolume volume =
        cluster.open(
            "node-1", replicas.subList(0, 1), new InMemoryRegister(), new RecordingListener())) {
      new DeviceIo(volume.device()).write(0, new byte[CONTENT]);
      Rebuild rebuild = volume.rebuild(replicas.get(1), new RebuildOptions(1 << 20));
      rebuild.cancel();
      assertThat(rebuild.done().toCompletableFuture()).failsWithin(Duration.ofMinutes(1));
    }
    cluster.stop();

    List<String> made = new ArrayList<>(calls);
    String head =
        made.stream()
            .filter(call -> call.startsWith("bdev_lvol_clone_bdev"))
            .map(call -> call.replaceAll(".*\"clone_name\":\"([^\"]*)\".*", "$1"))
            .findFirst()
            .orElseThrow();
    int removed = indexOf(made, "bdev_lvol_delete", head);
    assertThat(removed).as("removal of %s in %s", head, made).isNotNegative();
    assertThat(
            indexOf(made.subList(removed, made.size()), "bdev_nvme_detach_controller", "-source"))
        .as("end of the device that it reads, afterwards, in %s", made)
        .isNotNegative();
  }

  private static int indexOf(List<String> calls, String method, String name) {
    for (int i = 0; i < calls.size(); i++) {
      if (calls.get(i).startsWith(method) && calls.get(i).contains(name)) {
        return i;
      }
    }
    return -1;
  }
}
