package dev.holdfast.engine.spdk.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.engine.spdk.simulator.fabric.FabricException;
import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Bytes of volumes, snapshots, clones, external snapshots and shallow copies. */
class SimulatedVolumesTest extends SimulatorTestBase {
  @Test
  void snapshotKeepsItsContentWhileTheVolumeChanges() throws Exception {
    lvol("a", "v");
    export("a", "a/v", "v");
    namespace("v").write(MIB, bytes(8_192, 1));
    call("a", "bdev_lvol_snapshot", "{'lvol_name':'a/v','snapshot_name':'s'}");
    namespace("v").write(MIB + 4_096, bytes(4_096, 2));
    export("a", "a/s", "s");
    assertReads(namespace("s"), MIB, 8_192, 1);
    assertReads(namespace("v"), MIB, 4_096, 1);
    assertReads(namespace("v"), MIB + 4_096, 4_096, 2);
    assertReads(namespace("v"), 0, 4_096, 0);
    assertThatThrownBy(() -> namespace("s").write(0, bytes(4_096, 3)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void deletedSnapshotLeavesItsClustersToItsOnlyClone() throws Exception {
    lvol("a", "v");
    export("a", "a/v", "v");
    namespace("v").write(0, bytes(4_096, 1));
    call("a", "bdev_lvol_snapshot", "{'lvol_name':'a/v','snapshot_name':'s'}");
    call("a", "bdev_lvol_clone", "{'snapshot_name':'a/s','clone_name':'c'}");
    assertRefused("a", "bdev_lvol_delete", "{'name':'a/s'}", -32603, "Operation not permitted");
    call("a", "bdev_lvol_delete", "{'name':'a/c'}");
    call("a", "bdev_lvol_delete", "{'name':'a/s'}");
    assertReads(namespace("v"), 0, 4_096, 1);
    assertThat(lvolState("a", "v").path("num_allocated_clusters").intValue()).isEqualTo(1);
  }

  @Test
  void volumesSurviveTheEndOfTheTargetAndAllElseIsLost() throws Exception {
    lvol("a", "v");
    export("a", "a/v", "v");
    namespace("v").write(5L * MIB, bytes(4_096, 7));
    call("a", "bdev_lvol_snapshot", "{'lvol_name':'a/v','snapshot_name':'s'}");
    FabricNamespace before = namespace("v");
    nodes.kill("a");
    assertThatThrownBy(() -> before.write(0, bytes(4_096, 9))).isInstanceOf(IOException.class);
    nodes.start("a");
    assertThat(call("a", "nvmf_get_transports", "{}")).isEmpty();
    use("a");
    assertThat(call("a", "nvmf_get_subsystems", "{}")).hasSize(1);
    assertThat(lvolState("a", "v").path("base_snapshot").asText()).isEqualTo("s");
    export("a", "a/v", "v");
    assertReads(namespace("v"), 5L * MIB, 4_096, 7);
    assertReads(namespace("v"), 0, 4_096, 0);
  }

  @Test
  void fullStoreRefusesTheWriteAndKeepsOtherClusters() throws Exception {
    call(
        "a",
        "bdev_lvol_create",
        "{'lvs_name':'a','lvol_name':'v','size_in_mib':128,'thin_provision':true}");
    export("a", "a/v", "v");
    FabricNamespace volume = namespace("v");
    long free = call("a", "bdev_lvol_get_lvstores", "{}").path(0).path("free_clusters").asLong();
    for (long i = 0; i < free; i++) {
      volume.write(i * MIB, bytes(4_096, 1));
    }
    assertThatThrownBy(() -> volume.write(free * MIB, bytes(4_096, 1)))
        .isInstanceOfSatisfying(
            FabricException.class,
            e -> assertThat(e.status()).isEqualTo(FabricException.INTERNAL_ERROR));
    assertReads(volume, (free - 1) * MIB, 4_096, 1);
  }

  @Test
  void externalSnapshotIsReadThroughAndCopiedOnWrite() throws Exception {
    lvol("b", "source");
    export("b", "b/source", "w");
    namespace("w").write(0, bytes(MIB, 5));
    call("b", "nvmf_delete_subsystem", "{'nqn':'nqn.x:w'}");
    call("b", "bdev_lvol_snapshot", "{'lvol_name':'b/source','snapshot_name':'j'}");
    export("b", "b/j", "j");
    attach("a", "remote", "j", "");
    call("a", "bdev_lvol_clone_bdev", "{'bdev':'remoten1','lvs_name':'a','clone_name':'head'}");
    export("a", "a/head", "head");
    assertReads(namespace("head"), 4_096, 4_096, 5);
    assertThat(lvolState("a", "head").path("num_allocated_clusters").intValue()).isZero();
    namespace("head").write(4_096, bytes(4_096, 6));
    assertReads(namespace("head"), 0, 4_096, 5);
    assertReads(namespace("head"), 4_096, 4_096, 6);
    assertThat(lvolState("a", "head").path("num_allocated_clusters").intValue()).isEqualTo(1);
    call("a", "bdev_lvol_decouple_parent", "{'name':'a/head'}");
    assertThat(lvolState("a", "head").path("num_allocated_clusters").intValue()).isEqualTo(16);
  }

  private void attach(String target, String name, String port, String more) throws Exception {
    call(
        target,
        "bdev_nvme_attach_controller",
        "{'name':'%s','trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1','trsvcid':'%s','subnqn':'nqn.x:%s'%s}"
            .formatted(name, port, port, more));
  }

  @Test
  void shallowCopyWritesTheOwnClustersOnlyAndTellsItsEndOnce() throws Exception {
    lvol("a", "v");
    export("a", "a/v", "v");
    namespace("v").write(0, bytes(4_096, 1));
    call("a", "bdev_lvol_snapshot", "{'lvol_name':'a/v','snapshot_name':'s1'}");
    namespace("v").write(3L * MIB, bytes(4_096, 2));
    call("a", "bdev_lvol_snapshot", "{'lvol_name':'a/v','snapshot_name':'s2'}");
    lvol("a", "copy");
    int operation =
        call(
                "a",
                "bdev_lvol_start_shallow_copy",
                "{'src_lvol_name':'a/s2','dst_bdev_name':'a/copy'}")
            .path("operation_id")
            .intValue();
    JsonNode state = check(operation);
    while (state.path("state").asText().equals("in progress")) {
      state = check(operation);
    }
    assertThat(state.path("state").asText()).isEqualTo("complete");
    assertThat(state.path("copied_clusters").intValue()).isEqualTo(1);
    assertRefused(
        "a",
        "bdev_lvol_check_shallow_copy",
        "{'operation_id':%d}".formatted(operation),
        -19,
        "No such device");
    export("a", "a/copy", "copy");
    assertReads(namespace("copy"), 3L * MIB, 4_096, 2);
    assertReads(namespace("copy"), 0, 4_096, 0);
  }

  private JsonNode check(int operation) throws Exception {
    return call("a", "bdev_lvol_check_shallow_copy", "{'operation_id':%d}".formatted(operation));
  }

  @Test
  void nameHasAtMost63Characters() throws Exception {
    lvol("a", "x".repeat(63));
    assertRefused(
        "a",
        "bdev_lvol_create",
        "{'lvs_name':'a','lvol_name':'%s','size_in_mib':1}".formatted("y".repeat(64)),
        -22,
        "Invalid argument");
    assertRefused(
        "a",
        "bdev_lvol_snapshot",
        "{'lvol_name':'a/%s','snapshot_name':'%s'}".formatted("x".repeat(63), "y".repeat(64)),
        -32602,
        "Invalid argument");
  }

  @Test
  void logicalVolumeAndMirrorHaveNoFlush() throws Exception {
    lvol("a", "v");
    lvol("a", "w");
    call("a", "bdev_raid_create", "{'name':'r','raid_level':'raid1','base_bdevs':['a/v','a/w']}");
    for (String device : new String[] {"a/v", "r"}) {
      assertThat(
              call("a", "bdev_get_bdevs", "{'name':'%s'}".formatted(device))
                  .path(0)
                  .path("supported_io_types")
                  .path("flush")
                  .booleanValue())
          .isFalse();
    }
  }
}
