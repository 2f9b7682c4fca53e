package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Attachment and detachment by pods, by users, and by maintenance of volumes that no client uses.
 * Three containers, driven by commands and kubectl. The tests are ordered, because one node is
 * killed and another one is drained.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AttachmentScenariosE2E {
  private static final int NODES = 3;
  private static final int SNAPSHOTS = 20;
  private static final int BYTES = 16 << 20;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir static Path data;
  private static Cluster cluster;
  private static Tickets pods;
  private static PodVolumes volumes;

  @BeforeAll
  static void start() {
    cluster = Cluster.start(data, NODES);
    pods = new Tickets(cluster.api(), "csi-attacher");
    volumes = new PodVolumes(cluster, pods, "node-2");
    for (int node = 1; node <= NODES; node++) {
      cluster.awaitReadiness(node, "True");
    }
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static void kubectl(String... words) {
    List<String> all =
        new ArrayList<>(List.of("kubectl", "--kubeconfig", data.resolve("kubeconfig").toString()));
    all.addAll(List.of(words));
    Command.of(all).run().succeeded();
  }

  @Test
  @Order(1)
  void podsAndUsersHoldAVolumeTogether() throws Exception {
    volumes.create("shared", 3);

    volumes.attached("shared");
    long opened = volumes.openings("shared");
    // Any node is right for a user who names none.
    assertThat(cluster.ok("volume", "attach", "shared")).contains("attached to node-2");
    assertThat(volumes.holders("shared")).containsExactlyInAnyOrder("csi-attacher", "api");

    pods.withdraw("shared", "node-2");
    Await.until(
        "only the person is left", LIMIT, () -> volumes.holders("shared").equals(List.of("api")));
    new NumberedBlocks("shared").verify(pods.endpoint("shared"), 1, PodVolumes.BLOCKS);
    assertThat(volumes.openings("shared")).isEqualTo(opened);

    cluster.ok("volume", "detach", "shared");
    assertThat(volumes.status("shared").path("state").asText()).isEqualTo("detached");
  }

  @Test
  @Order(1)
  void ticketForAnotherNodeWaitsAndReportsWhy() throws Exception {
    volumes.create("wanted", 3);
    cluster.ok("volume", "attach", "wanted", "--node", "node-3");
    pods.ask("wanted", "node-2");

    Await.until(
        "the pod is told why it waits",
        LIMIT,
        () ->
            cluster
                .json("volume", "why", "wanted")
                .at("/waiting/0/reason")
                .asText()
                .equals("OtherNode"));
    assertThat(volumes.status("wanted").path("currentNodeID").asText()).isEqualTo("node-3");

    cluster.run("volume", "detach", "wanted", "--no-wait").succeeded();
    pods.awaitSatisfied("wanted", "node-2", LIMIT);
    new NumberedBlocks("wanted").verify(pods.endpoint("wanted"), 1, PodVolumes.BLOCKS);
    volumes.left("wanted");
  }

  @Test
  @Order(1)
  void replicasThatKubectlDeletesAreReplacedFirst() throws Exception {
    volumes.create("deleted", 2);
    volumes.attached("deleted");
    List<String> attached = replicas("deleted");
    kubectl("delete", "hfr", "-l", "holdfast.dev/volume=deleted", "--wait=false");
    awaitOthersThan(attached, 2);
    new NumberedBlocks("deleted").verify(pods.endpoint("deleted"), 1, PodVolumes.BLOCKS);
    volumes.left("deleted");

    List<String> detached = replicas("deleted").subList(0, 1);
    kubectl("delete", "hfr", detached.get(0), "--wait=false");
    awaitOthersThan(detached, 2);
    pods.awaitDetached("deleted", LIMIT);
    volumes.holds("deleted", "deleted", 1);
  }

  private static void awaitOthersThan(List<String> names, int count) {
    Await.until(
        names + " were replaced",
        LIMIT,
        () -> {
          List<String> now = replicas("deleted");
          return now.size() == count
              && now.stream().noneMatch(names::contains)
              && areCurrent(cluster.api().items("replicas"), "deleted");
        });
  }

  private static List<String> replicas(String volume) {
    return volumes.status(volume).path("replicas").findValuesAsText("name");
  }

  @Test
  @Order(2)
  void snapshotsOfADetachedVolumeAttachItAndAWorkloadJoins() throws Exception {
    volumes.create("snapped", 3);
    long before = volumes.openings("snapped");
    List<String> names = IntStream.range(0, SNAPSHOTS).mapToObj(i -> "snapped-s" + i).toList();
    for (String name : names) {
      cluster
          .api()
          .create(
              "snapshots",
              "Snapshot",
              name,
              spec -> spec.put("volume", "snapped").put("createSnapshot", true));
    }
    // The snapshots are taken one after another as soon as it is open: there is time to join.
    String node = pods.awaitDecision("snapped", LIMIT);

    pods.ask("snapped", node);
    pods.awaitSatisfied("snapped", node, LIMIT);
    for (String name : names) {
      Await.until(
          name + " is there",
          LIMIT,
          () -> cluster.api().get("snapshots", name).at("/status/readyToUse").asBoolean());
    }
    Await.until(
        "only the workload is left",
        LIMIT,
        () -> volumes.holders("snapped").equals(List.of("csi-attacher")));
    assertThat(volumes.openings("snapped")).isEqualTo(before + 1);
    assertThat(cluster.ok("snapshot", "list", "snapped")).contains(names);

    pods.withdraw("snapped", node);
    pods.awaitDetached("snapped", LIMIT);
    cluster.ok("snapshot", "create", "snapped", "last");
    pods.awaitDetached("snapped", LIMIT);
    assertThat(volumes.openings("snapped")).isEqualTo(before + 2);
    volumes.holds("snapped", "snapped", 1);
  }

  @Test
  @Order(3)
  void aDetachedVolumeGrowsAndIsDetachedAgain() throws Exception {
    volumes.create("grown", 3);

    cluster.ok("volume", "expand", "grown", "32Mi");
    Await.until(
        "it has grown",
        LIMIT,
        () -> volumes.status("grown").path("currentSize").asText().equals("32Mi"));
    pods.awaitDetached("grown", LIMIT);

    volumes.attached("grown");
    try (NbdConnection connection = new NbdConnection(pods.endpoint("grown"))) {
      assertThat(connection.size()).isEqualTo(32L << 20);
    }
    new NumberedBlocks("grown").verify(pods.endpoint("grown"), 1, PodVolumes.BLOCKS);
    volumes.left("grown");
  }

  @Test
  @Order(3)
  void aDetachedVolumeIsCopiedAndBothAreDetachedAgain() throws Exception {
    volumes.create("original", 3);

    cluster.ok("volume", "create", "copy", "--from", "original", "--replicas", "3");
    // Whether it is whole by then or not, it is used where it is copied.
    volumes.attached("copy");
    new NumberedBlocks("original").verify(pods.endpoint("copy"), 1, PodVolumes.BLOCKS);
    Await.until(
        "the copy is whole",
        LIMIT,
        () -> volumes.status("copy").at("/cloneStatus/state").asText().equals("completed"));
    volumes.left("copy");
    pods.awaitDetached("original", LIMIT);

    volumes.used("original", 2);
    volumes.holds("copy", "original", 1);
  }

  @Test
  @Order(4)
  void replicaThatMissedWritesIsRebuiltOffline() throws Exception {
    volumes.create("missed", 3);
    cluster.kill(3);
    cluster.awaitReadiness(3, "Unknown");
    volumes.used("missed", 2);
    cluster.up(3).succeeded();
    cluster.awaitReadiness(3, "True");

    isRebuiltOffLine();
  }

  private static boolean areCurrent(List<JsonNode> replicas, String volume) {
    return replicas.stream()
        .filter(replica -> replica.at("/spec/volume").asText().equals(volume))
        .allMatch(
            replica ->
                replica.at("/status/mode").asText().equals("RW")
                    && replica.at("/spec/failedAt").asText("").isEmpty()
                    && time(replica, "lastHealthyAt").isAfter(time(replica, "lastFailedAt")));
  }

  private static Instant time(JsonNode replica, String field) {
    String text = replica.path("spec").path(field).asText("");
    return text.isEmpty() ? Instant.EPOCH : Instant.parse(text);
  }

  private static void setOfflineRebuilding(boolean on) {
    kubectl(
        "patch",
        "settings.holdfast.dev",
        "offline-replica-rebuilding",
        "--type=merge",
        "-p",
        "{\"spec\":{\"value\":\"" + on + "\"}}");
  }

  private static void isRebuiltOffLine() throws IOException {
    long before = volumes.openings("missed");
    setOfflineRebuilding(true);
    Await.until(
        "it was opened for that and every replica is current",
        LIMIT,
        () ->
            volumes.openings("missed") > before
                && areCurrent(cluster.api().items("replicas"), "missed"));
    pods.awaitDetached("missed", LIMIT);
    ReplicaFiles.of("missed", BYTES, data).agree(NODES);
    volumes.holds("missed", "missed", 2);
    setOfflineRebuilding(false);
  }

  @Test
  @Order(5)
  @Tag("soak")
  void volumeReturnsByItselfAfterAllReplicasDied() throws Exception {
    volumes.schedulesOn("node-1", false);
    cluster.ok("volume", "create", "orphaned", "--size", "16Mi", "--replicas", "2", "--wait");
    pods.ask("orphaned", "node-1");
    pods.awaitSatisfied("orphaned", "node-1", LIMIT);
    assertThat(volumes.nodesWithReplicas("orphaned")).containsExactlyInAnyOrder("node-2", "node-3");
    URI endpoint = pods.endpoint("orphaned");
    NumberedBlocks content = new NumberedBlocks("orphaned");
    content.write(endpoint, 1, PodVolumes.BLOCKS);

    List.of(2, 3).forEach(cluster::kill);
    CompletableFuture<Integer> late =
        CompletableFuture.supplyAsync(() -> volumes.answerToAWrite(endpoint, BYTES / 2));
    List.of(2, 3).forEach(node -> cluster.awaitReadiness(node, "Unknown"));
    assertThat(late.getNow(-1)).as("what a write is told that no replica has").isNotZero();
    cluster.upAll().succeeded();

    Await.until(
        "it is whole again",
        LIMIT.multipliedBy(2),
        () ->
            pods.satisfied("orphaned", "node-1")
                && volumes.answerToAWrite(pods.endpoint("orphaned"), BYTES / 2) == 0
                && members("orphaned") == 2
                && areCurrent(cluster.api().items("replicas"), "orphaned"));
    content.verify(pods.endpoint("orphaned"), 1, PodVolumes.BLOCKS);
    pods.withdraw("orphaned", "node-1");
    pods.awaitDetached("orphaned", LIMIT);
    ReplicaFiles.of("orphaned", BYTES, data).agree(2);
    volumes.schedulesOn("node-1", true);
  }

  // A replica that missed a write leaves the members before that write is acknowledged; its mode is
  // reported later.
  private static int members(String volume) {
    return cluster.api().engineOf(volume).at("/status/membership/members").size();
  }

  @Test
  @Order(6)
  void aNodeIsEmptiedOfDetachedVolumes() throws Exception {
    volumes.create("evicted", 2);
    String from = volumes.nodesWithReplicas("evicted").get(0);
    long before = volumes.openings("evicted");

    kubectl(
        "patch",
        "nodes.holdfast.dev",
        from,
        "--type=merge",
        "-p",
        "{\"spec\":{\"evictionRequested\":true,\"allowScheduling\":false}}");

    Await.until(
        "no replica is left on " + from,
        LIMIT,
        () ->
            cluster.api().items("replicas").stream()
                .filter(replica -> replica.at("/spec/volume").asText().equals("evicted"))
                .noneMatch(replica -> replica.at("/spec/nodeID").asText().equals(from)));
    pods.awaitDetached("evicted", LIMIT);
    assertThat(volumes.openings("evicted")).isGreaterThan(before);
    assertThat(volumes.nodesWithReplicas("evicted")).hasSize(2).doesNotContain(from);
    volumes.holds("evicted", "evicted", 1);
  }
}
