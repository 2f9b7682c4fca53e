package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Registration, heartbeat and reported status of a node. */
class NodeTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:00:00Z");

  @TempDir private Path data;
  private final MemoryResourceStore store = new MemoryResourceStore();

  private NodeHeartbeat heart(Instant now) throws IOException {
    return heart(data, Clock.fixed(now, ZoneOffset.UTC), () -> {});
  }

  private NodeHeartbeat heart(Path directory, Clock clock, Runnable whenClaimed)
      throws IOException {
    NodeSettings settings =
        NodeSettings.from(
            Map.of("holdfast.data", directory.toString(), "holdfast.default.disks", "2")::get,
            "0.1.0");
    return new NodeHeartbeat(settings, store, clock, whenClaimed);
  }

  private LeaseSpec lease() throws StorageException {
    return store.get(Lease.KIND, "node-node-1").orElseThrow().spec();
  }

  @Test
  void theFirstBeatRegistersTheNodeWithItsDisks() throws Exception {
    heart(NOW).beat();
    Node node = store.get(Node.KIND, "node-1").orElseThrow();
    assertThat(node.spec().disks()).containsOnlyKeys("disk-1", "disk-2");
    assertThat(node.spec().disks().get("disk-2").path())
        .isEqualTo(data.resolve("disks/disk-2").toString());
  }

  /** A store of an earlier release removes the field {@code create} of a disk. */
  @Test
  void theFirstBeatMakesTheDirectoriesOfItsDisks() throws Exception {
    heart(NOW).beat();
    assertThat(data.resolve("disks/disk-1")).isDirectory();
    assertThat(data.resolve("disks/disk-2")).isDirectory();
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
    assertThat(lease().holderIdentity()).startsWith("node-1_");
    assertThat(lease().acquireTime()).contains(NOW);
    assertThat(lease().renewTime()).contains(NOW.plusSeconds(10));
  }

  @Test
  void aSecondMachineOfOneNameDoesNothingWhileTheFirstIsAlive(@TempDir Path other)
      throws Exception {
    heart(NOW).beat();
    String first = lease().holderIdentity();
    SettableClock clock = new SettableClock();
    List<String> acts = new ArrayList<>();
    NodeHeartbeat second = heart(other, clock, () -> acts.add("second"));
    for (int seconds = 0; seconds <= 120; seconds += 10) {
      clock.now = NOW.plusSeconds(seconds);
      heart(clock.now).beat();
      second.beat();
      assertThat(lease().holderIdentity()).isEqualTo(first);
    }
    assertThat(acts).isEmpty();

    clock.now = NOW.plusSeconds(161);
    second.beat();

    assertThat(lease().holderIdentity()).startsWith("node-1_").isNotEqualTo(first);
    assertThat(lease().leaseTransitions()).isEqualTo(1);
    assertThat(acts).containsExactly("second");
  }

  @Test
  void aNodeThatStartsAgainActsAtOnce() throws Exception {
    heart(NOW).beat();
    List<String> acts = new ArrayList<>();
    NodeHeartbeat again =
        heart(data, Clock.fixed(NOW.plusSeconds(1), ZoneOffset.UTC), () -> acts.add("again"));
    again.beat();
    again.beat();
    assertThat(acts).containsExactly("again");
    assertThat(lease().leaseTransitions()).isZero();
  }

  @Test
  void leaseOfAnEarlierReleaseIsTreatedAsTheNodesOwn() throws Exception {
    store.create(
        Lease.of(
            "node-node-1", new LeaseSpec("node-1", 40, Optional.of(NOW), Optional.of(NOW), 0)));
    heart(NOW.plusSeconds(1)).beat();
    assertThat(lease().holderIdentity()).startsWith("node-1_");
  }

  /** A clock that a test advances. */
  private static final class SettableClock extends Clock {
    private Instant now = NOW;

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneOffset getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
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

  private static List<String> capabilities() {
    return new FakeEngine("fake", new FakeEngine.Disks())
        .capabilities().stream().map(Enum::name).sorted().toList();
  }

  @Test
  void nodeReportsItsStatusAndItsDisks() throws Exception {
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
                      && n.status().engines().contains("fake")
                      && n.status().diskStatus().size() == 2);
      assertThat(node.status().address()).isEqualTo("127.0.0.1");
      assertThat(node.status().ports()).containsEntry("nbd", 10809);
      assertThat(node.status().version()).isEqualTo("0.1.0");
      assertThat(node.status().bootID()).isNotEmpty();
      assertThat(node.status().engineCapabilities().get("fake"))
          .containsExactlyElementsOf(capabilities());
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
