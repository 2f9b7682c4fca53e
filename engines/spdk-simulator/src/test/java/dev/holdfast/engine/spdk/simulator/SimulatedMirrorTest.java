package dev.holdfast.engine.spdk.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.engine.spdk.simulator.fabric.FabricException;
import dev.holdfast.engine.spdk.simulator.fabric.FabricHost;
import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Mirrors, lost peers, access states and hosts: what a stock SPDK does not promise. */
class SimulatedMirrorTest extends SimulatorTestBase {
  private static final String NEVER_FAIL = ",'ctrlr_loss_timeout_sec':-1,'reconnect_delay_sec':1";

  /** Makes a mirror of target a over its own leg and one of target b, and exports it. */
  private FabricNamespace mirror(String rules) throws Exception {
    lvol("a", "local");
    lvol("b", "leg");
    export("b", "b/leg", "leg");
    call(
        "a",
        "bdev_nvme_attach_controller",
        ("{'name':'remote','trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1',"
            + "'trsvcid':'leg','subnqn':'nqn.x:leg'"
            + rules
            + "}"));
    call(
        "a",
        "bdev_raid_create",
        "{'name':'vol','raid_level':'raid1','base_bdevs':['a/local','remoten1']}");
    export("a", "vol", "vol");
    return namespace("vol");
  }

  private int operationalLegs() throws Exception {
    JsonNode raids = call("a", "bdev_raid_get_bdevs", "{'category':'all'}");
    return raids.path(0).path("num_base_bdevs_operational").intValue();
  }

  private static CompletableFuture<Void> writing(FabricNamespace namespace, int value) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            namespace.write(0, bytes(4_096, value));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        task -> new Thread(task, "writer").start());
  }

  @Test
  void writeReachesBothLegs() throws Exception {
    mirror("").write(0, bytes(4_096, 1));
    assertThat(lvolState("a", "local").path("num_allocated_clusters").intValue()).isEqualTo(1);
    assertReads(namespace("leg"), 0, 4_096, 1);
  }

  @Test
  void failedLegIsDroppedWithoutDecisionAndTheWriteSucceeds() throws Exception {
    FabricNamespace volume = mirror("");
    nodes.kill("b");
    volume.write(0, bytes(4_096, 1));
    assertThat(operationalLegs()).isEqualTo(1);
    assertThat(call("a", "notify_get_notifications", "{}").toString()).doesNotContain("raid");
  }

  @Test
  void legThatNeverFailsHoldsTheWriteUntilThePeerIsBack() throws Exception {
    FabricNamespace volume = mirror(NEVER_FAIL);
    nodes.kill("b");
    CompletableFuture<Void> write = writing(volume, 2);
    nodes.start("b");
    use("b");
    export("b", "b/leg", "leg");
    write.get(20, TimeUnit.SECONDS);
    assertThat(operationalLegs()).isEqualTo(2);
    assertReads(namespace("leg"), 0, 4_096, 2);
  }

  @Test
  void disablingTheControllerDropsALegThatNeverFails() throws Exception {
    FabricNamespace volume = mirror(NEVER_FAIL);
    nodes.kill("b");
    CompletableFuture<Void> write = writing(volume, 3);
    call("a", "bdev_nvme_disable_controller", "{'name':'remote'}");
    write.get(20, TimeUnit.SECONDS);
    assertThat(operationalLegs()).isEqualTo(1);
    call("a", "bdev_nvme_detach_controller", "{'name':'remote'}");
    volume.write(0, bytes(4_096, 4));
    assertReads(volume, 0, 4_096, 4);
  }

  @Test
  void removalOfALegWaitsForWritesThatHangOnIt() throws Exception {
    FabricNamespace volume = mirror(NEVER_FAIL);
    nodes.kill("b");
    CompletableFuture<Void> write = writing(volume, 3);
    awaitState("reconnect_is_delayed");
    awaitLocalWrite();
    var removal =
        nodes
            .client("a")
            .send(
                "bdev_raid_remove_base_bdev",
                new ObjectMapper().readTree("{\"name\":\"remoten1\"}"),
                PATIENCE);
    assertThat(operationalLegs()).isEqualTo(2);
    assertThat(removal).isNotDone();
    call("a", "bdev_nvme_disable_controller", "{'name':'remote'}");
    write.get(20, TimeUnit.SECONDS);
    assertThat(operationalLegs()).isEqualTo(1);
  }

  /** Waits until the local leg has the first write, which then waits for the other leg. */
  private void awaitLocalWrite() throws Exception {
    while (call("a", "bdev_get_bdevs", "{'name':'a/local'}")
            .findValue("num_allocated_clusters")
            .asInt()
        == 0) {
      Thread.onSpinWait();
    }
  }

  private void awaitState(String state) throws Exception {
    while (!call("a", "bdev_nvme_get_controllers", "{}").toString().contains(state)) {
      Thread.onSpinWait();
    }
  }

  @Test
  void stockRebuildFillsAThinLeg() throws Exception {
    FabricNamespace volume = mirror("");
    volume.write(0, bytes(4_096, 1));
    call("a", "bdev_raid_remove_base_bdev", "{'name':'remoten1'}");
    volume.write(4_096, bytes(4_096, 2));
    call("a", "bdev_raid_add_base_bdev", "{'raid_bdev':'vol','base_bdev':'remoten1'}");
    nodes.target("a").releaseRebuilds();
    assertReads(namespace("leg"), 4_096, 4_096, 2);
    assertThat(lvolState("b", "leg").path("num_allocated_clusters").intValue()).isEqualTo(16);
  }

  @Test
  void claimsExcludeEachOther() throws Exception {
    mirror("");
    assertRefused(
        "a",
        "bdev_raid_create",
        "{'name':'other','raid_level':'raid1','base_bdevs':['a/local','remoten1']}",
        -1,
        "Failed to create RAID bdev other: Operation not permitted");
    call("a", "nvmf_create_subsystem", "{'nqn':'nqn.x:second'}");
    assertRefused(
        "a",
        "nvmf_subsystem_add_ns",
        "{'nqn':'nqn.x:second','namespace':{'bdev_name':'vol'}}",
        -32602,
        "Invalid parameters");
  }

  @Test
  void inaccessibleStopsNewCommandsAndTheGroupCallWaitsForThoseInFlight() throws Exception {
    FabricNamespace volume = mirror(NEVER_FAIL);
    nodes.kill("b");
    CompletableFuture<Void> write = writing(volume, 1);
    awaitState("reconnect_is_delayed");
    awaitLocalWrite();
    call(
        "a",
        "nvmf_subsystem_listener_set_ana_state",
        "{'nqn':'nqn.x:vol','listen_address':%s,'ana_state':'inaccessible'}"
            .formatted(place("vol")));
    var drained =
        nodes
            .client("a")
            .send(
                "nvmf_subsystem_set_ns_ana_group",
                new ObjectMapper().readTree("{\"nqn\":\"nqn.x:vol\",\"nsid\":1,\"anagrpid\":1}"),
                PATIENCE);
    assertThat(operationalLegs()).isEqualTo(2);
    assertThat(drained).isNotDone();
    call("a", "bdev_nvme_disable_controller", "{'name':'remote'}");
    assertThat(drained.get(20, TimeUnit.SECONDS).booleanValue()).isTrue();
    write.get(20, TimeUnit.SECONDS);
    assertThatThrownBy(() -> volume.write(0, bytes(4_096, 2)))
        .isInstanceOfSatisfying(
            FabricException.class,
            e -> assertThat(e.status()).isEqualTo(FabricException.INACCESSIBLE));
  }

  @Test
  void onlyAdmittedHostsConnectAndSubsystemsThatGoEndTheirAssociations() throws Exception {
    lvol("a", "v");
    nodes.key("/k1", "one", "rw-------");
    call("a", "keyring_file_add_key", "{'name':'k1','path':'/k1'}");
    call("a", "nvmf_create_subsystem", "{'nqn':'nqn.x:v'}");
    call("a", "nvmf_subsystem_add_ns", "{'nqn':'nqn.x:v','namespace':{'bdev_name':'a/v'}}");
    call(
        "a",
        "nvmf_subsystem_add_listener",
        "{'nqn':'nqn.x:v','listen_address':%s}".formatted(place("v")));
    assertRefusedHost(FabricException.INVALID_HOST);
    call(
        "a",
        "nvmf_subsystem_add_host",
        "{'nqn':'nqn.x:v','host':'%s','dhchap_key':'k1'}".formatted(HOST));
    assertRefusedHost(FabricException.AUTHENTICATION_REQUIRED);
    FabricNamespace volume = connect("v", new FabricHost(HOST, "one", "", "")).namespaces().get(0);
    volume.write(0, bytes(4_096, 1));
    call("a", "nvmf_delete_subsystem", "{'nqn':'nqn.x:v'}");
    assertThatThrownBy(() -> volume.write(0, bytes(4_096, 2)))
        .hasMessageContaining("connection lost");
  }

  private void assertRefusedHost(int status) {
    assertThatThrownBy(() -> namespace("v"))
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.status()).isEqualTo(status));
  }
}
