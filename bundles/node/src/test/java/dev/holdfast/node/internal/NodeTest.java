package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Lease;
import dev.holdfast.resource.LeaseSpec;
import dev.holdfast.resource.Node;
import dev.holdfast.resource.NodeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Registration, heartbeat and what a node tells of itself. */
class NodeTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:00:00Z");

  @TempDir private Path data;
  private final MemoryResourceStore store = new MemoryResourceStore();

  private NodeHeartbeat heart(Instant now) {
    NodeSettings settings =
        NodeSettings.from(
            Map.of("holdfast.data", data.toString(), "holdfast.default.disks", "2")::get, "0.1.0");
    return new NodeHeartbeat(settings, store, Clock.fixed(now, ZoneOffset.UTC));
  }

  @Test
  void theFirstBeatRegistersTheNodeWithItsDisks() throws Exception {
    heart(NOW).beat();
    Node node = store.get(Node.KIND, "node-1").orElseThrow();
    assertThat(node.spec().disks()).containsOnlyKeys("disk-1", "disk-2");
    assertThat(node.spec().disks().get("disk-2").path())
        .isEqualTo(data.resolve("disks/disk-2").toString());
  }

  @Test
  void laterBeatsLeaveTheNodeAlone() throws Exception {
    heart(NOW).beat();
    Node node = store.get(Node.KIND, "node-1").orElseThrow();
    store.update(node.withSpec(NodeSpec.EMPTY.withTags(List.of("mine"))));
    heart(NOW.plusSeconds(10)).beat();
    assertThat(store.get(Node.KIND, "node-1").orElseThrow().spec().disks()).isEmpty();
  }

  @Test
  void everyBeatRenewsTheLease() throws Exception {
    heart(NOW).beat();
    heart(NOW.plusSeconds(10)).beat();
    LeaseSpec lease = store.get(Lease.KIND, "node-node-1").orElseThrow().spec();
    assertThat(lease.holderIdentity()).isEqualTo("node-1");
    assertThat(lease.acquireTime()).contains(NOW);
    assertThat(lease.renewTime()).contains(NOW.plusSeconds(10));
  }

  @Test
  void aLeaseThatDoesNotChangeForItsDurationIsStale() {
    NodeLiveness liveness = new NodeLiveness();
    Lease lease =
        Lease.of("node-n", new LeaseSpec("n", 40, Optional.empty(), Optional.of(Instant.EPOCH), 0));
    assertThat(liveness.alive("n", Optional.of(lease), NOW)).isTrue();
    assertThat(liveness.alive("n", Optional.of(lease), NOW.plusSeconds(40))).isTrue();
    assertThat(liveness.alive("n", Optional.of(lease), NOW.plusSeconds(41))).isFalse();
    Lease renewed =
        lease.withSpec(lease.spec().withRenewTime(Optional.of(Instant.EPOCH.plusSeconds(1))));
    assertThat(liveness.alive("n", Optional.of(renewed), NOW.plusSeconds(42))).isTrue();
    assertThat(liveness.alive("n", Optional.of(renewed), NOW.plusSeconds(82))).isTrue();
    assertThat(liveness.alive("n", Optional.of(renewed), NOW.plusSeconds(83))).isFalse();
  }

  @Test
  void aNodeWithoutLeaseIsGivenTime() {
    NodeLiveness liveness = new NodeLiveness();
    Duration allowed = NodeLiveness.WITHOUT_LEASE;
    assertThat(liveness.alive("n", Optional.empty(), NOW)).isTrue();
    assertThat(liveness.alive("n", Optional.empty(), NOW.plus(allowed))).isTrue();
    assertThat(liveness.alive("n", Optional.empty(), NOW.plus(allowed).plusSeconds(1))).isFalse();
  }

  @Test
  void aNodeTellsOfItselfAndItsDisks() throws Exception {
    heart(NOW).beat();
    try (RunningNode running = new RunningNode(store, data)) {
      running.plugins.addEngine(new FakeEngine("fake", new FakeEngine.Disks()));
      Node node =
          Awaiting.until(
              store,
              Node.KIND,
              "node-1",
              n ->
                  Condition.isTrue(n.status().conditions(), NodeLiveness.READY)
                      && n.status().diskStatus().size() == 2);
      assertThat(node.status().address()).isEqualTo("127.0.0.1");
      assertThat(node.status().ports()).containsEntry("nbd", 10809);
      assertThat(node.status().version()).isEqualTo("0.1.0");
      assertThat(node.status().bootID()).isNotEmpty();
      assertThat(node.status().diskStatus().values())
          .allMatch(disk -> Condition.isTrue(disk.conditions(), DiskProbe.READY));
    }
  }

  @Test
  void settingsAreReadWithDefaults() {
    NodeSettings settings =
        NodeSettings.from(
            Map.of("holdfast.address", "10.0.0.1", "holdfast.nbd.port", "1234")::get, "v");
    assertThat(settings.name()).isEqualTo("node-1");
    assertThat(settings.address()).isEqualTo("10.0.0.1");
    assertThat(settings.ports()).containsEntry("nbd", 1234).containsEntry("api", 7443);
    assertThat(settings.ports()).containsEntry("rpc", 7444).containsEntry("replica", 10810);
    assertThat(settings.defaultDisks()).isEqualTo(3);
    assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void aLeaseThatIsTooShortIsRefused() {
    assertThatThrownBy(() -> NodeSettings.from(Map.of("holdfast.node.lease", "3")::get, "v"))
        .hasMessageContaining("holdfast.node.lease");
  }
}
