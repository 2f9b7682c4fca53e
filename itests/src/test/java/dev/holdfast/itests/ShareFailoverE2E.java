package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A share with a floating address in a cluster of three nodes with networks of their own. A client
 * with a real kernel appends numbers and holds a lock while the share's node loses its power, and
 * while the share leaves a cordoned node. The client sees no error, keeps its mount and its lock.
 * The test prints for how long the client waited each time.
 */
class ShareFailoverE2E {
  private static final int NODES = 3;
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final String NODE_RESOURCES = "nodes";

  @TempDir Path data;
  private Cluster cluster;
  private Network network;

  @BeforeAll
  static void needsRoot() {
    Network.assumePossible();
  }

  /** Ends what a failed test left. */
  @AfterEach
  void removeRemains() {
    ShareRemains.remove(data);
  }

  @Test
  void clientKeepsItsMountAndLockWhileTheShareMovesToOtherNodes() throws Exception {
    try (Network made = Network.of(NODES);
        Cluster started = Cluster.start(data, NODES, made);
        ShareClient client = ShareClient.start();
        ShareClient other = ShareClient.start()) {
      network = made;
      cluster = started;
      URI endpoint = use(client, other);
      assertThat(other.canLock("/run/files/lock")).as("a lock that another client holds").isFalse();

      int first = node();
      long epoch = epoch();
      client.forgetPauses();
      cutPower(first);
      awaitServing(first, epoch);
      awaitProgress(client);
      printPause(client, "its node lost power");
      assertThat(endpoint()).as("the endpoint of clients").isEqualTo(endpoint);
      assertThat(other.canLock("/run/files/lock")).as("the lock after a fail-over").isFalse();

      cluster.up(first).succeeded();
      cluster.awaitReadiness(first, "True");
      int second = node();
      epoch = epoch();
      client.forgetPauses();
      cordon(second, true);
      awaitServing(second, epoch);
      awaitProgress(client);
      printPause(client, "its node was cordoned");
      assertThat(other.canLock("/run/files/lock")).as("the lock after a move").isFalse();
      assertThat(ShareRemains.processes(cluster.data(second))).as("of the former server").isEmpty();

      assertNothingIsLost(client, other);
    }
  }

  /** Mounts a new share on two clients; the first one has a lock and writes numbers. */
  private URI use(ShareClient client, ShareClient other) throws Exception {
    URI endpoint = share();
    client.mount(endpoint, "4.1", "/run/files");
    other.mount(endpoint, "4.2", "/run/files");
    client.lock("/run/files/lock");
    client.write("/run/files/numbers");
    client.awaitProgress();
    return endpoint;
  }

  /** The cut-off node keeps its processes and its address until it ends them itself. */
  @Test
  @Tag("soak")
  void cutOffServerEndsItselfWhileTheShareRunsOnAnotherNode() throws Exception {
    try (Network made = Network.of(NODES);
        Cluster started = Cluster.start(data, NODES, made);
        ShareClient client = ShareClient.start();
        ShareClient other = ShareClient.start()) {
      network = made;
      cluster = started;
      URI unused = use(client, other);

      int first = node();
      long epoch = epoch();
      client.forgetPauses();
      network.cutOff(first);
      awaitServing(first, epoch);
      awaitProgress(client);
      printPause(client, "its node was cut off");
      Await.until(
          "the cut-off node has ended its server and has removed its address",
          LONG,
          () -> ShareRemains.processes(cluster.data(first)).isEmpty() && !hasAddress(first));

      network.reconnect(first);
      cluster.awaitReadiness(first, "True");
      client.awaitProgress();
      assertThat(other.canLock("/run/files/lock")).as("the lock after a fail-over").isFalse();
      Await.until(
          "nothing of the share is mounted on its former node",
          LONG,
          () -> ShareRemains.mounts(cluster.data(first)).stream().noneMatch(this::isOfAShare));
      assertNothingIsLost(client, other);
    }
  }

  /**
   * The node writes to the volume, so that its server stays, until the next opening refuses its
   * writes. By then its server still has the address.
   */
  @Test
  @Tag("soak")
  void clientSeesNoErrorWhenAnotherNodeTakesTheVolumeOverFromALivingServer() throws Exception {
    try (Network made = Network.of(NODES);
        Cluster started = Cluster.start(data, NODES, made);
        ShareClient client = ShareClient.start();
        ShareClient other = ShareClient.start()) {
      network = made;
      cluster = started;
      URI unused = use(client, other);

      int first = node();
      long epoch = epoch();
      client.forgetPauses();
      network.separate(first, 1);
      awaitServing(first, epoch);
      awaitProgress(client);
      printPause(client, "its node lost the store");
      Await.until(
          "the node without the store has ended its server and has removed its address",
          LONG,
          () -> ShareRemains.processes(cluster.data(first)).isEmpty() && !hasAddress(first));
      assertThat(other.canLock("/run/files/lock")).as("the lock after a fail-over").isFalse();
      network.rejoin(first, 1);
      cluster.awaitReadiness(first, "True");
      awaitProgress(client);
      assertNothingIsLost(client, other);
    }
  }

  private boolean isOfAShare(String mount) {
    return mount.contains("/share-nfs/");
  }

  private boolean hasAddress(int node) {
    String shown = "ip -n %s -o address show to %s";
    return !Command.of(
            List.of(shown.formatted(network.namespace(node), network.address(200)).split(" ", -1)))
        .run()
        .succeeded()
        .out()
        .isBlank();
  }

  private static void assertNothingIsLost(ShareClient client, ShareClient other) throws Exception {
    long written = client.stop();
    assertThat(client.holdsLock()).isTrue();
    assertThat(other.sh("cat /run/files/numbers").lines())
        .as("every acknowledged number is there")
        .startsWith(
            LongStream.rangeClosed(1, written).mapToObj(Long::toString).toArray(String[]::new));
    client.unlock();
    assertThat(other.canLock("/run/files/lock")).as("a lock that was released").isTrue();
  }

  /** Waits until the writer continues; an error of it is reported with the logs of the nodes. */
  private void awaitProgress(ShareClient client) {
    try {
      client.awaitProgress();
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ShareLogs.of(cluster, NODES), e);
    }
  }

  private static void printPause(ShareClient client, String cause) {
    System.out.printf("the client waited %d ms when %s%n", client.longestPause().toMillis(), cause);
  }

  /** Creates the volume with replicas on the nodes without the store, and exports it from one. */
  private URI share() {
    cordon(1, true);
    cluster.ok(
        "volume", "create", "files", "--size", "128Mi", "--replicas", "2", "--access-mode", "rwx");
    cluster.ok(
        "share",
        "files",
        "--allow",
        network.address(0) + "/24",
        "--address",
        network.address(200) + "/24%eth0");
    cordon(1, false);
    return endpoint();
  }

  private JsonNode status() {
    return cluster.api().get("sharemanagers", "files").path("status");
  }

  private URI endpoint() {
    return URI.create(status().path("endpoint").asText());
  }

  private int node() {
    return Integer.parseInt(status().path("nodeID").asText().substring("node-".length()));
  }

  private long epoch() {
    return status().at("/epoch/number").asLong();
  }

  private void awaitServing(int former, long epoch) {
    Await.until(
        "the share runs on another node than node-" + former,
        LONG,
        () -> {
          JsonNode status = status();
          return status.path("state").asText().equals("running")
              && status.at("/epoch/number").asLong() > epoch
              && !status.path("nodeID").asText().equals("node-" + former);
        });
  }

  private void cordon(int node, boolean value) {
    cluster
        .api()
        .patch(NODE_RESOURCES, "node-" + node, spec -> spec.put("allowScheduling", !value));
  }

  /** Ends all processes of a node; its address, mounts and devices go with it. */
  private void cutPower(int node) {
    network.cutOff(node);
    cluster.kill(node);
    ShareRemains.remove(cluster.data(node));
    Command.of(
            List.of(
                "ip",
                "-n",
                network.namespace(node),
                "address",
                "flush",
                "to",
                network.address(200),
                "dev",
                "eth0"))
        .run()
        .succeeded();
    network.reconnect(node);
  }
}
