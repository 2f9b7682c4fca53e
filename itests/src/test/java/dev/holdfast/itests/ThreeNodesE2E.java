package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Three containers that are one cluster. In an order, because the last one removes a node. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ThreeNodesE2E {
  private static final int NODES = 3;
  private static final String IMAGES = "holdfast-image";
  private static final Duration LONG = Duration.ofMinutes(5);

  /** The bundles for communication between nodes, without the data path. */
  private static final List<String> PLATFORM =
      List.of(
          "holdfast-store-runtime",
          "holdfast-controller-runtime",
          "holdfast-cluster",
          "holdfast-api-server",
          "holdfast-attachment",
          "holdfast-volume");

  @TempDir static Path data;
  private static Cluster cluster;

  @BeforeAll
  static void start() {
    long began = System.nanoTime();
    cluster = Cluster.start(data, NODES);
    System.out.printf(
        "three nodes were up after %d s%n",
        Duration.ofNanos(System.nanoTime() - began).toSeconds());
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

  @Test
  @Order(1)
  void statusListsAllNodesOfThisMachine() {
    JsonNode status = cluster.json("status");

    assertThat(status.path("nodes")).hasSize(NODES);
    Set<String> names = new HashSet<>();
    for (int node = 1; node <= NODES; node++) {
      JsonNode found = status.path("nodes").get(node - 1);
      names.add(found.path("name").asText());
      assertThat(found.path("pid").asLong()).isEqualTo(cluster.pid(node));
      assertThat(found.at("/addresses/0").asText()).isEqualTo(cluster.address(node));
      assertThat(found.path("ready").asBoolean()).isTrue();
    }
    assertThat(names).containsExactlyInAnyOrder("node-1", "node-2", "node-3");
  }

  @Test
  @Order(1)
  void everyNodeShowsTheSameCluster() {
    for (int node = 1; node <= NODES; node++) {
      String kubeconfig = cluster.data(node).resolve("kubeconfig").toString();
      String names =
          Command.of(
                  "kubectl", "--kubeconfig", kubeconfig, "get", "nodes.holdfast.dev", "-o", "name")
              .run()
              .succeeded()
              .out();
      assertThat(names.lines())
          .containsExactly(
              "node.holdfast.dev/node-1", "node.holdfast.dev/node-2", "node.holdfast.dev/node-3");
    }
  }

  @Test
  @Order(1)
  void upAgainChangesNothing() {
    List<Long> before = List.of(cluster.pid(1), cluster.pid(2), cluster.pid(3));

    assertThat(cluster.upAll().succeeded().out().lines().filter(l -> l.contains("runs already")))
        .hasSize(NODES);
    assertThat(List.of(cluster.pid(1), cluster.pid(2), cluster.pid(3))).isEqualTo(before);
  }

  @Test
  @Order(1)
  void noKeyLeavesItsNode() throws Exception {
    Set<String> keys = new HashSet<>();
    for (int node = 1; node <= NODES; node++) {
      keys.add(Files.readString(cluster.data(node).resolve("tls/server.key")));
      assertThat(Files.exists(cluster.data(node).resolve("tls/ca.key"))).isEqualTo(node == 1);
    }
    assertThat(keys).hasSize(NODES);
  }

  @Test
  @Order(1)
  void startingLogsNoErrors() {
    for (int node = 1; node <= NODES; node++) {
      assertThat(cluster.log(node).lines().filter(line -> line.contains(" ERROR "))).isEmpty();
    }
  }

  @Test
  @Order(2)
  void aTokenOfAnotherClusterIsNotUsed(@TempDir Path machine) {
    String token = cluster.ok("node", "token");
    String fingerprint = token.substring(token.lastIndexOf('.') + 1);
    String foreign = token.replace(fingerprint, "A" + fingerprint.substring(1));
    if (foreign.equals(token)) {
      foreign = token.replace(fingerprint, "B" + fingerprint.substring(1));
    }

    assertThat(join(machine, foreign).failed().err()).contains("fingerprint");
    assertThat(join(machine, token).succeeded().out()).contains("node-9 joined");
    assertThat(join(machine.resolve("again"), token).failed().err()).contains("used already");
  }

  private static Command.Result join(Path machine, String token) {
    return cluster.run(
        machine, "node", "join", cluster.address(1), "--token", token, "--name", "node-9");
  }

  @Test
  @Order(2)
  void aNodeRenewsItsCertificateWithoutARestart() throws Exception {
    Path certificate = cluster.data(2).resolve("tls/server.crt");
    byte[] before = Files.readAllBytes(certificate);

    cluster
        .run(cluster.data(2), "node", "renew", "--name", "node-2", "--address", cluster.address(2))
        .succeeded();

    assertThat(Files.readAllBytes(certificate)).isNotEqualTo(before);
    cluster.run(cluster.data(2), "node", "list").succeeded();
    assertThat(cluster.log(2)).contains("Using the replaced certificate");
  }

  @Test
  @Order(2)
  void thePlatformIsReplacedAndNoLinkBetweenReplicasBreaks() throws Exception {
    cluster.ok("volume", "create", "spread", "--size", "16Mi", "--replicas", "3");
    cluster.ok("volume", "attach", "spread", "--node", "node-2");
    URI uri = URI.create(cluster.ok("volume", "endpoint", "spread", "--remote"));
    try (SteadyWrites writes = new SteadyWrites(1024, 1, uri)) {
      writes.awaitProgress();
      JsonNode membership = membership("spread");

      update(2, "holdfast-store-remote");
      writes.awaitProgress();
      update(1, "holdfast-store-embedded");
      writes.awaitProgress();

      cluster.ok("snapshot", "create", "spread", "by-the-new-stores");
      assertThat(membership("spread")).isEqualTo(membership);
      assertThat(membership.path("members")).hasSize(NODES);
      assertThat(cluster.log(2)).doesNotContain("its link is lost");
    }
    cluster.ok("volume", "detach", "spread");
    cluster.ok("volume", "delete", "spread", "--grace", "0s");
  }

  @Test
  @Order(3)
  void engineUpdatesAtVolumeAndReplicaDropNoMember() throws Exception {
    cluster.ok("volume", "create", "linked", "--size", "16Mi", "--replicas", "3");
    cluster.ok("volume", "attach", "linked", "--node", "node-2");
    URI uri = URI.create(cluster.ok("volume", "endpoint", "linked", "--remote"));
    try (SteadyWrites writes = new SteadyWrites(1024, 2, uri)) {
      writes.awaitProgress();
      JsonNode membership = membership("linked");
      assertThat(membership.path("members")).hasSize(NODES);
      for (int node : new int[] {2, 3}) {
        new KarafShell(cluster.data(node)).run(update("holdfast-engine-sparse")).succeeded();
        writes.awaitProgress();
        assertThat(membership("linked")).isEqualTo(membership);
      }
    }
    cluster.ok("volume", "detach", "linked");
    cluster.ok("volume", "delete", "linked", "--grace", "0s");
  }

  private static JsonNode membership(String volume) {
    return cluster.api().engineOf(volume).at("/status/membership");
  }

  /** Has Karaf replace a store, and what uses it, by the same bundles. */
  private static void update(int node, String store) {
    String commands =
        Stream.concat(Stream.of(store), PLATFORM.stream())
            .map(ThreeNodesE2E::update)
            .collect(Collectors.joining("; "));
    new KarafShell(cluster.data(node)).run(commands).succeeded();
  }

  /** The shell's command for it. */
  private static String update(String artifact) {
    return "bundle:update %s/%s file:%s"
        .formatted(
            BundleJars.symbolicName(artifact),
            BundleJars.currentVersion(artifact),
            BundleJars.released(artifact));
  }

  @Test
  @Order(4)
  void pausedNodeIsNotReadyUntilItResumes() {
    cluster.pause(3);
    try {
      cluster.awaitReadiness(3, "Unknown");
    } finally {
      cluster.resume(3);
    }
    cluster.awaitReadiness(3, "True");
  }

  /**
   * Node 2 delivers the image and sends it to node 3. The node that stands still keeps the transfer
   * in its middle while the bundle is replaced at the other end.
   */
  @Tag("soak")
  @Test
  @Order(3)
  void newerImageBundlesContinueADeliveryAndACopy(@TempDir Path files) throws Exception {
    Path newer = new BundleJars(files).version(IMAGES, "9.0.1");
    ImageOfNodes image = new ImageOfNodes(cluster, "handed", files);
    image.deliverOnly(2);
    try (HeldDownload download = image.startDownload()) {
      download.awaitHalf();
      replaceImages(2, newer);
      download.release();
      image.awaitCopy(2);
      assertThat(download.starts()).as("requests of both bundles").hasSizeGreaterThan(1);
    }

    image.deliverOnly(2, 3);
    image.keep(2);
    image.awaitPart(3);
    cluster.pause(3);
    try {
      assertThat(image.copies().isComplete(3)).as("complete before the sender's").isFalse();
      replaceImages(2, BundleJars.released(IMAGES));
    } finally {
      cluster.resume(3);
    }
    Await.until("node 3 continues", LONG, () -> continuations(3) > 0);
    cluster.pause(2);
    try {
      assertThat(image.copies().isComplete(3)).as("complete before the receiver's").isFalse();
      replaceImages(3, newer);
    } finally {
      cluster.resume(2);
    }
    image.awaitCopy(3);
    image.haveTheContent();
    assertThat(continuations(3)).as("attempts that found regions").isGreaterThan(1);
    replaceImages(3, BundleJars.released(IMAGES));
    image.scheduleAll();
    cluster.ok("image", "delete", "handed");
  }

  /** Returns how many attempts to copy the image found complete regions. */
  private static long continuations(int node) {
    return Pattern.compile("image handed: continuing a copy with \\d+ regions")
        .matcher(cluster.log(node))
        .results()
        .count();
  }

  /** Has a node update its bundle of images, which takes the place of the one that runs. */
  private static void replaceImages(int node, Path jar) {
    new KarafShell(cluster.data(node))
        .run("bundle:update %s file:%s".formatted(BundleJars.symbolicName(IMAGES), jar))
        .succeeded();
  }

  /** Node 2 delivers the image; later its manager is the sender of the copies. */
  @Test
  @Order(4)
  void killedNodesReturnAndAnImageIsWholeOnAllOfThem(@TempDir Path files) throws Exception {
    ImageOfNodes image = new ImageOfNodes(cluster, "large", files);
    image.deliverOnly(2);
    try (HeldDownload download = image.startDownload()) {
      download.awaitHalf();
      cluster.kill(2);
      cluster.awaitReadiness(2, "Unknown");
      assertThat(cluster.readiness(3)).isEqualTo("True");
      download.release();
      cluster.up(2).succeeded();
      cluster.awaitReadiness(2, "True");
      image.awaitCopy(2);
      assertThat(download.starts()).as("requests after the kill").hasSizeGreaterThan(1);
    }
    Object file = image.fileKey(2);

    image.scheduleAll();
    image.createVolume("above", NODES);
    image.awaitPart(3);
    cluster.kill(2);
    cluster.kill(3);
    assertThat(image.copies().isComplete(3)).as("complete before the kill").isFalse();
    cluster.up(2).succeeded();
    cluster.up(3).succeeded();
    image.awaitCopies();
    assertThat(image.fileKey(2)).as("the copy that its manager found again").isEqualTo(file);

    cluster.ok("volume", "attach", "above", "--node", "node-1");
    new Tickets(cluster.api(), "api").awaitRedundancy("above", NODES, LONG);
    image.isContentOf(cluster.ok("volume", "endpoint", "above", "--remote").strip());
    cluster.ok("volume", "detach", "above");
    cluster.ok("volume", "delete", "above", "--grace", "0s");
    cluster.ok("image", "delete", "large");
  }

  @Test
  @Order(5)
  void othersWaitWhileTheNodeWithTheStoreIsAway() {
    long second = cluster.pid(2);
    cluster.kill(1);

    assertThat(cluster.up(2).succeeded().out()).contains("runs already");
    cluster.down(3);
    assertThat(cluster.up(3).succeeded().out()).contains("waits for the node that has the store");

    cluster.up(1).succeeded();
    cluster.awaitReadiness(2, "True");
    cluster.awaitReadiness(3, "True");
    assertThat(cluster.pid(2)).isEqualTo(second);
  }

  @Test
  @Order(6)
  void aRemovedNodeIsRefused() throws Exception {
    KeptCertificate kept = KeptCertificate.of(cluster.data(3), data.resolve("kept-certificate"));
    JsonNode second = cluster.json("node", "get", "node-2").at("/status");
    String address = second.at("/address").asText();
    int rpc = second.at("/ports/rpc").asInt();
    assertThat(kept.isAdmitted(address, rpc)).isTrue();
    cluster.ok("volume", "create", "kept", "--size", "16Mi", "--replicas", "1");
    cluster.ok("volume", "attach", "kept", "--node", "node-3", "--no-wait");
    assertThat(cluster.run("node", "remove", "node-3").failed().err())
        .contains("attachments of kept")
        .contains("--force");
    assertThat(
            cluster
                .run("node", "remove", "node-1", "--force", "--confirm", "node-1")
                .failed()
                .err())
        .contains("has the store");

    try (KeptCertificate.Connection open = kept.connect(address, rpc)) {
      cluster.ok("node", "remove", "node-3", "--force", "--confirm", "node-3");
      assertThat(open.ends()).isTrue();
    }
    assertThat(kept.isAdmitted(address, rpc)).isFalse();
    assertThat(cluster.run(cluster.data(3), "volume", "list").failed().err())
        .contains("Unauthorized");
    Await.until(
        "node 3 logs the refusal of the store",
        Duration.ofSeconds(30),
        () ->
            cluster.log(3).contains("could not use the store, postponing decisions: Unauthorized"));
    assertThat(cluster.ok("node", "list")).doesNotContain("node-3");
  }
}
