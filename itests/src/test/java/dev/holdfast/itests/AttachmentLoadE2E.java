package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
 * Three containers under an orchestrator that sends many requests at once: rapid cycles, many
 * volumes that move together, and a node that dies with attached volumes. Replicas are on all three
 * nodes.
 *
 * <p>Long form by {@code -Dholdfast.soak=true}: 100 cycles, 50 volumes that move, 20 that are lost.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AttachmentLoadE2E {
  private static final boolean SOAK = Boolean.getBoolean("holdfast.soak");
  private static final int CYCLES = SOAK ? 100 : 9;
  private static final int MOVED = SOAK ? 50 : 8;
  private static final int LOST = SOAK ? 20 : 4;
  private static final int NODES = 3;
  private static final int BLOCKS = 64;
  private static final String SIZE = "16Mi";
  private static final int BYTES = 16 << 20;
  private static final Duration LIMIT = Duration.ofMinutes(3);

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
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static List<String> names(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + "-" + i).toList();
  }

  private static List<Traces> traces() {
    return IntStream.rangeClosed(1, NODES).mapToObj(node -> Traces.of(cluster, node)).toList();
  }

  private static List<Traces> lasting() {
    return traces().stream().map(Traces::lasting).toList();
  }

  private static void cycle(String volume, int node) {
    pods.ask(volume, "node-" + node);
    pods.awaitSatisfied(volume, "node-" + node, LIMIT);
    pods.withdraw(volume, "node-" + node);
    pods.awaitDetached(volume, LIMIT);
  }

  private static String figures(List<Traces> traces) {
    return traces.stream()
        .map(node -> node.descriptors() + " descriptors, " + node.threads() + " threads")
        .toList()
        .toString();
  }

  @Test
  @Order(1)
  @Tag("soak")
  void rapidCyclesLeaveNothingBehind() {
    pods.create(List.of("cycled"), SIZE);
    for (int node = 1; node <= NODES; node++) {
      cycle("cycled", node);
    }
    List<Traces> before = traces();
    List<Traces> lastingBefore = before.stream().map(Traces::lasting).toList();
    long began = System.nanoTime();

    for (int i = 0; i < CYCLES; i++) {
      cycle("cycled", 1 + i % NODES);
    }

    System.out.printf(
        "%d cycles in %d s; before %s%n",
        CYCLES, Duration.ofNanos(System.nanoTime() - began).toSeconds(), figures(before));
    try {
      Await.until("nothing is left", LIMIT, () -> lasting().equals(lastingBefore));
    } catch (AssertionError e) {
      assertThat(lasting()).isEqualTo(lastingBefore);
    }
    System.out.printf("after %s%n", figures(traces()));
    assertThat(lastingBefore)
        .allSatisfy(node -> assertThat(node.files()).isEmpty())
        .allSatisfy(node -> assertThat(node.connections()).isZero());
    assertThat(cluster.api().items("engines")).hasSize(1);
    assertThat(cluster.api().engineOf("cycled").at("/status/currentState").asText())
        .isEqualTo("stopped");
  }

  @Test
  @Order(2)
  @Tag("soak")
  void manyVolumesMoveAtOnce() throws Exception {
    List<String> volumes = names("moved", MOVED);
    pods.create(volumes, SIZE);
    volumes.forEach(volume -> pods.ask(volume, "node-2"));
    pods.awaitAll(volumes, "attached", "node-2", LIMIT);
    for (String volume : volumes) {
      new NumberedBlocks(volume).write(pods.endpoint(volume), 1, BLOCKS);
    }
    long began = System.nanoTime();

    volumes.forEach(volume -> pods.move(volume, "node-2", "node-3"));
    pods.awaitAll(volumes, "attached", "node-3", LIMIT);

    System.out.printf(
        "%d volumes moved in %d s%n",
        MOVED, Duration.ofNanos(System.nanoTime() - began).toSeconds());
    for (String volume : volumes) {
      pods.awaitSatisfied(volume, "node-3", LIMIT);
      new NumberedBlocks(volume).verify(pods.endpoint(volume), 1, BLOCKS);
      assertThatThrownBy(() -> new NumberedBlocks(volume).verify(pods.endpoint(volume), 2, BLOCKS))
          .hasMessageContaining("block 0");
    }
    volumes.forEach(volume -> pods.withdraw(volume, "node-3"));
    pods.awaitAll(volumes, "detached", "", LIMIT);
  }

  @Test
  @Order(3)
  void volumesOfAKilledNodeAreServedElsewhere() throws Exception {
    List<String> volumes = names("killed", LOST);
    areServedElsewhere(volumes, () -> cluster.kill(3), () -> cluster.up(3).succeeded());
  }

  // A node that stands still is the harder case: it wakes up with writes in its sockets and with
  // connections to the replicas.
  @Test
  @Order(4)
  void resumedNodeWritesNothingIntoVolumesThatMoved() throws Exception {
    List<String> volumes = names("asleep", LOST);
    areServedElsewhere(volumes, () -> cluster.pause(3), () -> cluster.resume(3));
  }

  private static void areServedElsewhere(List<String> volumes, Runnable away, Runnable back)
      throws Exception {
    pods.create(volumes, SIZE);
    volumes.forEach(volume -> pods.ask(volume, "node-3"));
    pods.awaitAll(volumes, "attached", "node-3", LIMIT);
    List<NbdConnection> clients = new ArrayList<>();
    for (String volume : volumes) {
      new NumberedBlocks(volume).write(pods.endpoint(volume), 1, BLOCKS);
      clients.add(new NbdConnection(pods.endpoint(volume)));
    }
    long began = System.nanoTime();
    away.run();
    for (int i = 0; i < clients.size(); i++) {
      leaveUnanswered(clients.get(i), new NumberedBlocks(volumes.get(i)));
    }

    volumes.forEach(volume -> pods.move(volume, "node-3", "node-2"));
    pods.awaitAll(volumes, "attached", "node-2", LIMIT);

    System.out.printf(
        "%d volumes of a lost node attached elsewhere after %d s%n",
        volumes.size(), Duration.ofNanos(System.nanoTime() - began).toSeconds());
    for (String volume : volumes) {
      new NumberedBlocks(volume).verify(pods.endpoint(volume), 1, BLOCKS);
      new NumberedBlocks(volume).write(pods.endpoint(volume), 3, BLOCKS);
    }
    back.run();
    cluster.awaitReadiness(3, "True");
    for (NbdConnection client : clients) {
      client.close();
    }
    theSameEverywhere(volumes);
  }

  private static void theSameEverywhere(List<String> volumes) throws IOException {
    for (String volume : volumes) {
      Await.until(volume + " is healthy", LIMIT, () -> pods.robustness(volume).equals("healthy"));
      new NumberedBlocks(volume).verify(pods.endpoint(volume), 3, BLOCKS);
      pods.withdraw(volume, "node-2");
    }
    pods.awaitAll(volumes, "detached", "", LIMIT);
    for (String volume : volumes) {
      ReplicaFiles replicas = ReplicaFiles.of(volume, BYTES, data);
      replicas.agree(NODES);
      replicas.spoil();
      assertThatThrownBy(() -> replicas.agree(NODES)).hasMessageContaining("first byte where");
    }
  }

  private static void leaveUnanswered(NbdConnection client, NumberedBlocks blocks)
      throws IOException {
    try {
      client.sendWrite(7, (BLOCKS / 2) * NumberedBlocks.BYTES, blocks.content(BLOCKS / 2, 2), true);
    } catch (IOException gone) {
      assertThat(gone).hasMessageMatching("(?i).*(reset|broken pipe|closed).*");
    }
  }
}
