package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
 * A disk that two nodes see, and a volume on it whose engine locks it: a node writes only after the
 * former one has lost the ability to write. In an order, because the last test removes a node.
 */
@Tag("soak")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SharedDiskE2E {
  private static final String ENGINE = "example-outside";
  private static final String VOLUME = "san-1";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir static Path data;
  private static Cluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = Cluster.start(data.resolve("nodes"), 3);
    Path disk = Files.createDirectory(data.resolve("san"));
    for (int node = 2; node <= 3; node++) {
      cluster
          .run(cluster.data(node), "shell", "feature:install holdfast-engine-" + ENGINE)
          .succeeded();
      cluster.ok(
          "disk", "add", disk.toString(), "--node", name(node), "--name", "san", "--tags", "san");
    }
    Await.until("the disk is known to be shared", LIMIT, () -> sharedDisks().size() == 2);
    cluster
        .api()
        .create(
            "volumes",
            "Volume",
            VOLUME,
            spec ->
                spec.put("size", "33554432")
                    .put("numberOfReplicas", 1)
                    .put("dataEngine", ENGINE)
                    .putArray("diskSelector")
                    .add("san"));
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      IntStream.rangeClosed(2, 3).forEach(SharedDiskE2E::killDaemons);
      cluster.close();
    }
  }

  private static String name(int node) {
    return "node-" + node;
  }

  private static List<JsonNode> sharedDisks() {
    return cluster.api().items("nodes").stream()
        .map(node -> node.at("/status/diskStatus/san"))
        .filter(disk -> disk.path("shared").asBoolean())
        .toList();
  }

  /** The data path of a node ends, as by a power cut; its container is killed on its own. */
  private static void killDaemons(int node) {
    String folder = cluster.data(node).resolve(ENGINE).toString();
    ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().filter(l -> l.contains(folder)).isPresent())
        .forEach(ProcessHandle::destroyForcibly);
  }

  private static URI attach(int node) {
    cluster.ok("volume", "attach", VOLUME, "--node", name(node));
    return endpoint();
  }

  private static URI endpoint() {
    return URI.create(cluster.ok("volume", "endpoint", VOLUME, "--remote"));
  }

  private static void awaitServedAt(int node) {
    Await.until(
        "the volume is served at " + name(node),
        LIMIT,
        () -> cluster.ok("volume", "why", VOLUME).contains("has what it asked for"));
    assertThat(endpoint().getQuery()).contains(cluster.data(node).toString());
  }

  /** Requests the volume at a node while another one has the lock. */
  private static void attachInVain(int node, int holder) {
    cluster.ok("volume", "attach", VOLUME, "--node", name(node), "--no-wait");
    Await.until(
        name(node) + " waits for the lock",
        LIMIT,
        () ->
            cluster
                .ok("volume", "why", VOLUME)
                .contains("its lock is held by node " + name(holder)));
  }

  /** Writes a chunk of one byte and flushes it. */
  private static void write(URI uri, int chunk, int value) {
    qemu(uri, String.format(Locale.ROOT, "write -P %d %dM 1M", value, chunk), "flush");
  }

  private static void assertHolds(URI uri, int chunk, int value) {
    qemu(uri, String.format(Locale.ROOT, "read -P %d %dM 1M", value, chunk));
  }

  private static void qemu(URI uri, String... commands) {
    List<String> words = new ArrayList<>(List.of("qemu-io", "-f", "raw", uri.toString()));
    for (String command : commands) {
      words.addAll(List.of("-c", command));
    }
    Command.of(words).run().succeeded();
  }

  @Test
  @Order(1)
  void bothNodesShowOneDisk() {
    List<JsonNode> disks = sharedDisks();

    assertThat(disks).hasSize(2);
    assertThat(disks.get(0).path("diskUUID")).isEqualTo(disks.get(1).path("diskUUID"));
  }

  @Test
  @Order(2)
  void volumeOfKilledContainerIsTakenOverOnlyWhenItsDataPathHasEnded() {
    URI first = attach(2);
    write(first, 0, 17);
    cluster.kill(2);
    cluster.awaitReadiness(2, "Unknown");
    write(first, 1, 18);

    cluster.ok("volume", "detach", VOLUME, "--node", name(2), "--force", "--confirm", VOLUME);
    attachInVain(3, 2);
    write(first, 2, 19);
    killDaemons(2);
    awaitServedAt(3);

    for (int chunk = 0; chunk < 3; chunk++) {
      assertHolds(endpoint(), chunk, 17 + chunk);
    }
    cluster.up(2).succeeded();
    cluster.awaitReadiness(2, "True");
    write(endpoint(), 0, 20);
  }

  @Test
  @Order(3)
  void pausedNodeKeepsTheVolumeUntilItSeesThatItsTicketWasRemoved() {
    URI former = endpoint();
    cluster.pause(3);
    cluster.awaitReadiness(3, "Unknown");
    cluster.ok("volume", "detach", VOLUME, "--node", name(3), "--force", "--confirm", VOLUME);
    attachInVain(2, 3);
    write(former, 3, 30);

    cluster.resume(3);
    awaitServedAt(2);

    assertHolds(endpoint(), 0, 20);
    assertHolds(endpoint(), 3, 30);
    assertThat(Command.of("nbdinfo", former.toString()).run().exitCode()).isNotZero();
  }

  @Test
  @Order(4)
  void removedNodeKeepsTheDataOfASharedDisk() {
    cluster.awaitReadiness(3, "True");
    cluster.down(3);
    cluster.ok("node", "remove", name(3));

    assertHolds(endpoint(), 3, 30);
    cluster.ok("volume", "detach", VOLUME);
    assertHolds(attach(2), 3, 30);
  }
}
