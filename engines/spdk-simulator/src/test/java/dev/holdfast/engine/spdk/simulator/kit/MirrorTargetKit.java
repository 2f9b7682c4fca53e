package dev.holdfast.engine.spdk.simulator.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.jsonrpc.JsonRpcException;
import dev.holdfast.nvme.host.NvmeDevice;
import dev.holdfast.nvme.host.RemoteController;
import dev.holdfast.nvme.host.answer.NvmeAccess;
import dev.holdfast.nvme.host.answer.NvmeStatusException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Mirrors over a local and a remote leg: lost peers, decided drops, quiesce. */
abstract class MirrorTargetKit extends SpdkTargetKit {
  /** Makes the mirror {@code vol} of target a over its own leg and one of target b. */
  private NvmeDevice mirror(String rules) throws Exception {
    lvol("a", "local");
    lvol("b", "leg");
    export("b", "b/leg", "leg");
    attach("a", "remote", "leg", rules);
    createRaid();
    export("a", "vol", "vol");
    return volume("vol");
  }

  private void createRaid() throws Exception {
    call(
        "a",
        "bdev_raid_create",
        "{'name':'vol','raid_level':'raid1','superblock':false,"
            + "'uuid':'6a0f2f60-2d7a-4d9c-8f35-0a1b2c3d4e5f','base_bdevs':['a/local','remoten1']}");
  }

  private int legs() throws Exception {
    JsonNode raids = call("a", "bdev_raid_get_bdevs", "{'category':'all'}");
    return raids.path(0).path("num_base_bdevs_operational").asInt();
  }

  /** Kills target b, and begins a write that waits for it. */
  private CompletableFuture<Void> writeWithoutPeer(NvmeDevice volume, int seed) throws Exception {
    kill("b");
    CompletableFuture<Void> write = writing(volume, 0, random(BLOCK, seed));
    eventually(
        "loss of the peer",
        () -> call("a", "bdev_nvme_get_controllers", "{}").toString().contains("reconnect"));
    eventually("write of the local leg", () -> clusters("a", "a/local") > 0);
    return write;
  }

  private void returnPeer() throws Exception {
    start("b");
    export("b", "b/leg", "leg");
  }

  /** Repeats the call while the controller tries to connect, as SPDK demands. */
  private void drop() throws Exception {
    eventually(
        "drop",
        () -> {
          try {
            return call("a", "bdev_nvme_disable_controller", "{'name':'remote'}").asBoolean();
          } catch (JsonRpcException e) {
            assertThat(e.rpcCode()).isEqualTo(-16);
            return false;
          }
        });
  }

  @Test
  final void bothLegsHaveWhatTheHostWrote() throws Exception {
    NvmeDevice volume = mirror(NEVER_FAIL);
    byte[] content = random(3 * MIB, 1);
    write(volume, 5 * BLOCK, content);
    assertThat(read(volume, 5 * BLOCK, content.length)).isEqualTo(content);
    call("a", "nvmf_delete_subsystem", "{'nqn':'nqn.2026-11.x:vol'}");
    call("a", "bdev_raid_delete", "{'name':'vol'}");
    export("a", "a/local", "check");
    byte[] local = read(volume("check"), 0, 16 * MIB);
    assertThat(local).isEqualTo(read(volume("leg"), 0, 16 * MIB));
    assertThat(read(volume("check"), 5 * BLOCK, content.length)).isEqualTo(content);
  }

  @Test
  final void legOfDefaultRulesIsDroppedWithoutADecision() throws Exception {
    NvmeDevice volume = mirror("");
    kill("b");
    write(volume, 0, random(BLOCK, 1));
    eventually("drop of the leg", () -> legs() == 1);
  }

  @Test
  final void writeWaitsForAPeerThatReturns() throws Exception {
    NvmeDevice volume = mirror(NEVER_FAIL);
    CompletableFuture<Void> write = writeWithoutPeer(volume, 1);
    assertThat(write).isNotDone();
    assertThat(legs()).isEqualTo(2);
    returnPeer();
    await(write);
    assertThat(legs()).isEqualTo(2);
    assertThat(read(volume("leg"), 0, BLOCK)).isEqualTo(random(BLOCK, 1));
  }

  @Test
  final void disableDropsALegWhosePeerIsAway() throws Exception {
    NvmeDevice volume = mirror(NEVER_FAIL);
    CompletableFuture<Void> write = writeWithoutPeer(volume, 1);
    drop();
    await(write);
    eventually("drop of the leg", () -> legs() == 1);
    assertThat(call("a", "bdev_nvme_detach_controller", "{'name':'remote'}").asBoolean()).isTrue();
    write(volume, 0, random(BLOCK, 2));
    assertThat(read(volume, 0, BLOCK)).isEqualTo(random(BLOCK, 2));
  }

  @Test
  final void mirrorIsNotRememberedByEitherTarget() throws Exception {
    write(mirror(NEVER_FAIL), 0, random(BLOCK, 1));
    kill("a");
    kill("b");
    start("a");
    returnPeer();
    assertThat(call("a", "bdev_raid_get_bdevs", "{'category':'all'}")).isEmpty();
    assertThat(call("b", "bdev_raid_get_bdevs", "{'category':'all'}")).isEmpty();
    attach("a", "remote", "leg", NEVER_FAIL);
    createRaid();
    export("a", "vol", "vol");
    assertThat(read(volume("vol"), 0, BLOCK)).isEqualTo(random(BLOCK, 1));
  }

  @Test
  final void legsAreClaimedByTheMirror() throws Exception {
    mirror("");
    assertRefused(
        "a",
        "bdev_raid_create",
        "{'name':'other','raid_level':'raid1','base_bdevs':['a/local','remoten1']}",
        -1);
    assertRefused("a", "bdev_nvme_attach_controller", attachment("second", "leg", ""), -17);
    assertRefused("a", "bdev_nvme_attach_controller", attachment("remote", "leg", ""), -114);
  }

  private void access(String state) throws Exception {
    call(
        "a",
        "nvmf_subsystem_listener_set_ana_state",
        "{'nqn':'nqn.2026-11.x:vol','listen_address':%s,'ana_state':'%s'}"
            .formatted(address("vol"), state));
  }

  private CompletableFuture<JsonNode> drain() throws Exception {
    return send(
        "a",
        "nvmf_subsystem_set_ns_ana_group",
        "{'nqn':'nqn.2026-11.x:vol','nsid':1,'anagrpid':1}");
  }

  @Test
  final void quiesceRefusesNewCommandsAndWaitsForThoseInFlight() throws Exception {
    NvmeDevice volume = mirror(NEVER_FAIL);
    RemoteController other = host("vol");
    CompletableFuture<Void> write = writeWithoutPeer(volume, 1);
    access("inaccessible");
    assertThat(other.access(1)).isEqualTo(NvmeAccess.INACCESSIBLE);
    NvmeDevice second = other.device(1);
    NvmeStatusException refusal =
        catchThrowableOfType(
            NvmeStatusException.class, () -> write(second, BLOCK, random(BLOCK, 2)));
    assertThat(refusal.status()).isEqualTo(NvmeStatusException.INACCESSIBLE);
    CompletableFuture<JsonNode> drained = drain();
    assertThat(legs()).isEqualTo(2);
    assertThat(drained).isNotDone();
    assertThat(write).isNotDone();
    drop();
    assertThat(await(drained).asBoolean()).isTrue();
    await(write);
    access("optimized");
    write(second, BLOCK, random(BLOCK, 2));
    assertThat(other.access(1)).isEqualTo(NvmeAccess.OPTIMIZED);
  }

  @Test
  final void snapshotsOfBothLegsInAQuiesceAreEqual() throws Exception {
    NvmeDevice volume = mirror(NEVER_FAIL);
    write(volume, 0, random(MIB, 1));
    access("inaccessible");
    assertThat(await(drain()).asBoolean()).isTrue();
    call("a", "bdev_lvol_snapshot", "{'lvol_name':'a/local','snapshot_name':'s'}");
    call("b", "bdev_lvol_snapshot", "{'lvol_name':'b/leg','snapshot_name':'s'}");
    access("optimized");
    write(volume, 0, random(MIB, 2));
    export("a", "a/s", "sa");
    export("b", "b/s", "sb");
    byte[] local = read(volume("sa"), 0, 16 * MIB);
    assertThat(local).isEqualTo(read(volume("sb"), 0, 16 * MIB));
    assertThat(read(volume("sa"), 0, MIB)).isEqualTo(random(MIB, 1));
  }
}
