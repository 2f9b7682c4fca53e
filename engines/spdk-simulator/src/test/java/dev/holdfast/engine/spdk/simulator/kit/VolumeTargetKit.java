package dev.holdfast.engine.spdk.simulator.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.NvmeDevice;
import org.junit.jupiter.api.Test;

/** Volumes, snapshots, copies, limits and restarts. */
abstract class VolumeTargetKit extends SpdkTargetKit {
  @Test
  final void thinVolumeAllocatesTheClustersThatAreWritten() throws Exception {
    lvol("a", "v");
    export("a", "a/v", "v");
    NvmeDevice volume = volume("v");
    assertThat(clusters("a", "a/v")).isZero();
    assertThat(read(volume, 0, 2 * MIB)).containsOnly(0);
    byte[] content = random(2 * BLOCK, 1);
    write(volume, 3L * MIB - BLOCK, content);
    assertThat(clusters("a", "a/v")).isEqualTo(2);
    assertThat(read(volume, 3L * MIB - BLOCK, 2 * BLOCK)).isEqualTo(content);
  }

  @Test
  final void trimmedClusterReadsAsZeroesAndItsNeighboursStay() throws Exception {
    lvol("a", "v");
    export("a", "a/v", "v");
    NvmeDevice volume = volume("v");
    write(volume, 0, random(2 * MIB, 1));
    await(begin(ended -> volume.trim(0, MIB, 0, ended)));
    assertThat(read(volume, 0, MIB)).containsOnly(0);
    assertThat(read(volume, MIB, BLOCK)).isNotEqualTo(new byte[BLOCK]);
    write(volume, 0, random(BLOCK, 2));
    assertThat(read(volume, BLOCK, MIB - BLOCK)).containsOnly(0);
  }

  @Test
  final void flushIsAnsweredThoughVolumesHaveNone() throws Exception {
    lvol("a", "v");
    assertThat(device("a", "a/v").path("supported_io_types").path("flush").asBoolean()).isFalse();
    export("a", "a/v", "v");
    NvmeDevice volume = volume("v");
    await(begin(volume::flush));
  }

  @Test
  final void snapshotKeepsItsContentWhileTheVolumeChanges() throws Exception {
    lvol("a", "v");
    export("a", "a/v", "v");
    NvmeDevice volume = volume("v");
    byte[] before = random(BLOCK, 1);
    write(volume, 0, before);
    call("a", "bdev_lvol_snapshot", "{'lvol_name':'a/v','snapshot_name':'s'}");
    assertThat(clusters("a", "a/v")).isZero();
    write(volume, 0, random(BLOCK, 2));
    call("a", "bdev_lvol_clone", "{'snapshot_name':'a/s','clone_name':'c'}");
    export("a", "a/c", "c");
    assertThat(read(volume("c"), 0, BLOCK)).isEqualTo(before);
    assertThat(read(volume, 0, BLOCK)).isEqualTo(random(BLOCK, 2));
  }

  @Test
  final void hostSeesAGrownVolume() throws Exception {
    lvol("a", "v");
    export("a", "a/v", "v");
    assertThat(volume("v").size()).isEqualTo(16L * MIB);
    call("a", "bdev_lvol_resize", "{'name':'a/v','size_in_mib':32}");
    assertThat(volume("v").size()).isEqualTo(32L * MIB);
    write(volume("v"), 31L * MIB, random(BLOCK, 1));
  }

  @Test
  final void shallowCopyWritesTheOwnClustersOfASnapshotIntoARemoteNamespace() throws Exception {
    lvol("a", "v");
    lvol("b", "copy");
    export("a", "a/v", "v");
    export("b", "b/copy", "copy");
    byte[] content = random(BLOCK, 1);
    write(volume("v"), 5L * MIB, content);
    attach("a", "remote", "copy", "");
    copyAndAwait("a/v", "error");
    call("a", "bdev_lvol_snapshot", "{'lvol_name':'a/v','snapshot_name':'s'}");
    JsonNode end = copyAndAwait("a/s", "complete");
    assertThat(end.path("total_clusters").asInt()).isEqualTo(1);
    assertThat(clusters("b", "b/copy")).isEqualTo(1);
    assertThat(read(volume("copy"), 5L * MIB, BLOCK)).isEqualTo(content);
  }

  /** Copies, and returns the end, which is reported once. */
  private JsonNode copyAndAwait(String source, String state) throws Exception {
    int id =
        call(
                "a",
                "bdev_lvol_start_shallow_copy",
                "{'src_lvol_name':'%s','dst_bdev_name':'remoten1'}".formatted(source))
            .path("operation_id")
            .asInt();
    String check = "{'operation_id':%d}".formatted(id);
    JsonNode[] end = new JsonNode[1];
    eventually(
        "end of the copy of " + source,
        () -> {
          end[0] = call("a", "bdev_lvol_check_shallow_copy", check);
          return !end[0].path("state").asText().equals("in progress");
        });
    assertThat(end[0].path("state").asText()).isEqualTo(state);
    assertRefused("a", "bdev_lvol_check_shallow_copy", check, -19);
    return end[0];
  }

  @Test
  final void externalSnapshotIsReadThroughAndReplacedByALocalParentUnderAHost() throws Exception {
    lvol("b", "source");
    export("b", "b/source", "source");
    byte[] content = random(BLOCK, 1);
    write(volume("source"), 2L * MIB, content);
    attach("a", "remote", "source", "");
    String origin = device("a", "remoten1").path("uuid").asText();
    call(
        "a",
        "bdev_lvol_clone_bdev",
        "{'bdev':'%s','lvs_name':'a','clone_name':'c'}".formatted(origin));
    export("a", "a/c", "c");
    NvmeDevice clone = volume("c");
    assertThat(read(clone, 2L * MIB, BLOCK)).isEqualTo(content);
    write(clone, 2L * MIB + BLOCK, random(BLOCK, 2));
    assertThat(clusters("a", "a/c")).isEqualTo(1);
    assertThat(read(clone, 2L * MIB, BLOCK)).isEqualTo(content);
    lvol("a", "parent");
    call("a", "bdev_lvol_snapshot", "{'lvol_name':'a/parent','snapshot_name':'p'}");
    call("a", "bdev_lvol_set_parent", "{'lvol_name':'a/c','parent_name':'a/p'}");
    assertThat(read(clone, 2L * MIB, BLOCK)).isEqualTo(content);
    assertThat(call("a", "bdev_nvme_detach_controller", "{'name':'remote'}").asBoolean()).isTrue();
    assertThat(read(clone, 2L * MIB + BLOCK, BLOCK)).isEqualTo(random(BLOCK, 2));
  }

  @Test
  final void limitsAreRoundedUpAndRemovedByZero() throws Exception {
    lvol("a", "v");
    export("a", "a/v", "v");
    write(volume("v"), 0, random(BLOCK, 1));
    limit("'rw_ios_per_sec':1500,'r_mbytes_per_sec':3");
    JsonNode limits = device("a", "a/v").path("assigned_rate_limits");
    assertThat(limits.path("rw_ios_per_sec").asInt()).isEqualTo(2_000);
    assertThat(limits.path("r_mbytes_per_sec").asInt()).isEqualTo(3);
    limit("'rw_ios_per_sec':0,'r_mbytes_per_sec':0");
    limits = device("a", "a/v").path("assigned_rate_limits");
    assertThat(limits.path("rw_ios_per_sec").asInt()).isZero();
    assertRefused("a", "bdev_set_qos_limit", "{'name':'a/v'}", -22);
    assertRefused("a", "bdev_set_qos_limit", "{'name':'a/v','rw_ios_per_sec':-1}", -32603);
  }

  @Test
  final void limitsOfADeviceThatNothingUsesCannotBeChangedOnceTheyAreSet() throws Exception {
    lvol("a", "v");
    limit("'rw_ios_per_sec':1000");
    String change = "{'name':'a/v','rw_ios_per_sec':0}";
    assertRefused("a", "bdev_set_qos_limit", change, -32602);
    export("a", "a/v", "v");
    write(volume("v"), 0, random(BLOCK, 1));
    limit("'rw_ios_per_sec':0");
  }

  private void limit(String limits) throws Exception {
    call("a", "bdev_set_qos_limit", "{'name':'a/v',%s}".formatted(limits));
  }

  @Test
  final void namesHaveAtMost63Characters() throws Exception {
    lvol("a", "n".repeat(63));
    assertRefused(
        "a",
        "bdev_lvol_create",
        "{'lvs_name':'a','lvol_name':'%s','size_in_mib':16,'thin_provision':true}"
            .formatted("m".repeat(64)),
        -22);
  }

  @Test
  final void killLeavesTheVolumesAndNothingElse() throws Exception {
    lvol("a", "v");
    export("a", "a/v", "v");
    byte[] content = random(BLOCK, 1);
    NvmeDevice volume = volume("v");
    write(volume, 0, content);
    kill("a");
    assertThatThrownBy(() -> read(volume, 0, BLOCK)).isInstanceOf(StorageException.class);
    start("a");
    assertThat(call("a", "bdev_raid_get_bdevs", "{'category':'all'}")).isEmpty();
    assertThat(call("a", "bdev_nvme_get_controllers", "{}")).isEmpty();
    assertThat(call("a", "nvmf_get_subsystems", "{}")).hasSize(1);
    export("a", "a/v", "v");
    assertThat(read(volume("v"), 0, BLOCK)).isEqualTo(content);
  }
}
