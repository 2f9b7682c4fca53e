package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * A volume that moves in use between three containers, for a client that never stops writing and
 * checks all that it reads: prepared, confirmed, rolled back, and with either node killed in the
 * middle. Ordered, because nodes are killed and the volume stays on its last node.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MigrationE2E {
  private static final int NODES = 3;
  private static final int BLOCKS = 512;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String VOLUME = "moving";
  private static final long GROWN_BYTES = 24 << 20;

  /** Time after which Linux fails a request to a disk. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir static Path data;
  private static Cluster cluster;
  private static Tickets pods;

  @BeforeAll
  static void start() {
    cluster = Cluster.start(data, NODES);
    pods = new Tickets(cluster.api(), "csi-attacher");
    for (int node = 1; node <= NODES; node++) {
      cluster.awaitReadiness(node, "True");
    }
    cluster
        .api()
        .create(
            "volumes",
            "Volume",
            VOLUME,
            spec ->
                spec.put("size", "16Mi")
                    .put("numberOfReplicas", NODES)
                    .put("accessMode", "rwx")
                    .put("migratable", true));
    pods.awaitAll(List.of(VOLUME), "detached", "", LIMIT);
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static JsonNode status() {
    return cluster.api().get("volumes", VOLUME).path("status");
  }

  private static long openings() {
    return cluster.api().engineOf(VOLUME).at("/status/membership/generation").asLong();
  }

  private static URI attachedTo(String node) {
    pods.ask(VOLUME, node);
    pods.awaitSatisfied(VOLUME, node, LIMIT);
    return pods.endpoint(VOLUME);
  }

  /** Waits until a second node serves the volume. Returns the endpoint there. */
  private static URI preparedAt(String node) {
    pods.ask(VOLUME, node);
    pods.awaitSatisfied(VOLUME, node, LIMIT);
    assertThat(status().path("currentMigrationNodeID").asText()).isEqualTo(node);
    return URI.create(status().path("migrationEndpoint").asText());
  }

  private static void awaitAloneAt(String node) {
    Await.until(
        VOLUME + " is at " + node + " alone",
        LIMIT,
        () ->
            status().path("currentNodeID").asText().equals(node)
                && status().path("currentMigrationNodeID").asText().isEmpty()
                && cluster
                    .api()
                    .engineOf(VOLUME)
                    .at("/status/migrationNodeID")
                    .asText("")
                    .isEmpty());
  }

  @Test
  @Order(1)
  void clientContinuesAtTheOtherNodeWithoutLoss() throws IOException {
    URI source = attachedTo("node-2");
    SteadyWrites writes = new SteadyWrites(BLOCKS, 1, source);
    try (writes) {
      writes.awaitProgress();
      long before = openings();
      URI target = preparedAt("node-3");
      writes.awaitProgress();

      writes.switchTo(target);
      writes.awaitProgress();
      assertThat(openings()).as("no second engine has opened it").isEqualTo(before);

      Duration prepared = writes.longestPause();
      pods.withdraw(VOLUME, "node-2");
      awaitAloneAt("node-3");
      writes.awaitProgress();
      Duration confirmed = writes.longestPause();
      System.out.printf(
          "longest wait of a write: %d ms until it is confirmed, %d ms while it is%n",
          prepared.toMillis(), confirmed.toMillis());
      assertThat(confirmed).as("how long a write waited").isLessThan(PATIENCE);
      assertThat(openings()).isEqualTo(before + 1);
      assertThat(pods.endpoint(VOLUME)).isEqualTo(target);
      assertThat(pods.satisfied(VOLUME, "node-3")).isTrue();
    }
    writes.verify();
    assertThatThrownBy(() -> new NbdConnection(source).close())
        .as("the source serves it no more")
        .isInstanceOf(IOException.class);
  }

  @Test
  @Order(2)
  void aMoveThatIsRolledBackLeavesTheClientWhereItIs() throws IOException {
    SteadyWrites writes = new SteadyWrites(BLOCKS, 2, freshAt("node-3"));
    try (writes) {
      long before = openings();
      URI target = preparedAt("node-2");
      writes.awaitProgress();

      pods.withdraw(VOLUME, "node-2");
      awaitAloneAt("node-3");
      writes.awaitProgress();
      assertThat(openings()).isEqualTo(before);
      assertThatThrownBy(() -> new NbdConnection(target).close())
          .as("the target serves it no more")
          .isInstanceOf(IOException.class);
    }
    writes.verify();
  }

  @Test
  @Order(3)
  @Tag("soak")
  void volumeGrowsWhileBothNodesServe() throws IOException {
    SteadyWrites writes = new SteadyWrites(BLOCKS, 5, freshAt("node-3"));
    try (writes) {
      URI target = preparedAt("node-2");
      growOnBoth(target);
      writes.awaitProgress();
      pods.withdraw(VOLUME, "node-2");
      awaitAloneAt("node-3");
    }
    writes.verify();
  }

  /** New connections on both nodes see the new size, and the same bytes at its end. */
  private static void growOnBoth(URI target) throws IOException {
    cluster.ok("volume", "expand", VOLUME, "24Mi");
    URI source = pods.endpoint(VOLUME);
    Await.until(
        "both nodes show the new size",
        LIMIT,
        () -> sizeAt(source) == GROWN_BYTES && sizeAt(target) == GROWN_BYTES);
    byte[] content = new byte[SteadyWrites.BLOCK];
    Arrays.fill(content, (byte) 42);
    try (NbdConnection there = new NbdConnection(target);
        NbdConnection here = new NbdConnection(source)) {
      long end = GROWN_BYTES - content.length;
      assertThat(there.write(end, content)).isZero();
      assertThat(here.read(end, content.length)).isEqualTo(content);
    }
  }

  private static long sizeAt(URI endpoint) {
    try (NbdConnection connection = new NbdConnection(endpoint)) {
      return connection.size();
    } catch (IOException e) {
      return -1;
    }
  }

  @Test
  @Order(4)
  void aSourceThatDiesIsLeftForTheTarget() throws IOException {
    SteadyWrites writes = new SteadyWrites(BLOCKS, 3, freshAt("node-3"));
    try (writes) {
      URI target = preparedAt("node-2");
      writes.switchTo(target);
      writes.awaitProgress();

      cluster.kill(3);
      cluster.awaitReadiness(3, "Unknown");
      pods.withdraw(VOLUME, "node-3");
      awaitAloneAt("node-2");
      writes.awaitProgress();
    }
    writes.verify();
  }

  @Test
  @Order(5)
  @Tag("soak")
  void aTargetThatDiesIsForgotten() throws IOException {
    cluster.up(3).succeeded();
    cluster.awaitReadiness(3, "True");
    pods.awaitRedundancy(VOLUME, NODES, LIMIT);
    SteadyWrites writes = new SteadyWrites(BLOCKS, 4, freshAt("node-2"));
    try (writes) {
      URI unused = preparedAt("node-3");
      writes.awaitProgress();

      cluster.kill(3);
      writes.awaitProgress();
      cluster.awaitReadiness(3, "Unknown");
      pods.withdraw(VOLUME, "node-3");
      awaitAloneAt("node-2");
      writes.awaitProgress();
    }
    writes.verify();
  }

  /** The endpoint of the volume, which holds zeroes where a new client writes. */
  private static URI freshAt(String node) throws IOException {
    assertThat(status().path("currentNodeID").asText()).isEqualTo(node);
    URI endpoint = pods.endpoint(VOLUME);
    byte[] zeroes = new byte[SteadyWrites.BLOCK];
    try (NbdConnection connection = new NbdConnection(endpoint)) {
      for (int block = 0; block < BLOCKS; block++) {
        assertThat(connection.write((long) block * zeroes.length, zeroes)).isZero();
      }
    }
    return endpoint;
  }
}
