package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random faults, by {@code -Dholdfast.chaos.seed}, for {@code -Dholdfast.chaos.minutes}, on three
 * containers in networks of their own. The container of the engine and another one are killed,
 * paused, disconnected, or get a full disk. One or both faults occur at a time, possibly before the
 * last one is repaired. A client writes and checks throughout. It sees errors only while the engine
 * is down. At the end all replicas are healthy and equal byte by byte.
 *
 * <p>The node with the store is left alone.
 */
@Tag("soak")
class ChaosE2E {
  private static final int NODES = 3;
  private static final int ENGINE_NODE = 2;
  private static final List<Integer> TARGETS = List.of(ENGINE_NODE, 3);
  private static final int BLOCKS = 16384;
  private static final String DISK_SIZE = "size=256m";
  private static final int CHUNK = 1 << 20;
  private static final long SEED = Long.getLong("holdfast.chaos.seed", System.nanoTime());
  private static final int MINUTES =
      Integer.getInteger("holdfast.chaos.minutes", Boolean.getBoolean("holdfast.soak") ? 60 : 10);

  /** Shorter and longer than a replica is waited for. */
  private static final int LONGEST_SECONDS = 15;

  private static final Duration BACK = Duration.ofMinutes(4);

  @TempDir Path data;
  private final Random random = new Random(SEED);
  private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
  private Cluster cluster;
  private Network network;
  private SteadyWrites writes;

  private enum Fault {
    KILL,
    STAND_STILL,
    CUT_OFF,
    SEPARATE,
    FILL_DISK
  }

  /** A fault of a node; a separation is of both. */
  private record Trouble(Fault fault, int node) {
    boolean stopsClients() {
      return node == ENGINE_NODE && fault != Fault.FILL_DISK && fault != Fault.SEPARATE;
    }
  }

  @BeforeAll
  static void needsRoot() {
    Network.assumePossible();
  }

  @Test
  void randomFaultsLoseNoWriteAndReplicasStayEqual() throws Exception {
    System.out.printf("-Dholdfast.chaos.seed=%d -Dholdfast.chaos.minutes=%d%n", SEED, MINUTES);
    List<Path> disks = new ArrayList<>();
    try {
      for (int node : TARGETS) {
        disks.add(Files.createDirectories(data.resolve("nodes/node-" + node + "/disks")));
        mount(disks.get(disks.size() - 1));
      }
      try (Network made = Network.of(NODES);
          Cluster started = Cluster.start(data, NODES, made)) {
        network = made;
        cluster = started;
        withstands(new Tickets(cluster.api(), "csi-attacher"));
      }
    } finally {
      disks.forEach(disk -> Command.of("umount", "-l", disk.toString()).run());
    }
  }

  private static void mount(Path disk) {
    Command.of("mount", "-t", "tmpfs", "-o", DISK_SIZE, "none", disk.toString()).run().succeeded();
  }

  private void withstands(Tickets pods) throws Exception {
    pods.create(List.of("chaos"), "64Mi");
    pods.ask("chaos", "node-" + ENGINE_NODE);
    pods.awaitSatisfied("chaos", "node-" + ENGINE_NODE, BACK);
    SteadyWrites client = new SteadyWrites(BLOCKS, SEED, pods.endpoint("chaos"));
    writes = client;
    try (client) {
      long end = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
      while (System.nanoTime() < end) {
        round();
        if (random.nextInt(3) > 0) {
          pods.awaitRedundancy("chaos", NODES, BACK);
        }
      }
      pods.awaitRedundancy("chaos", NODES, BACK);
    }
    writes.verify();
    writes.pretendOneMore();
    assertThatThrownBy(writes::verify).hasMessageContaining("block 0 holds write");
    pods.withdraw("chaos", "node-" + ENGINE_NODE);
    pods.awaitDetached("chaos", BACK);
    ReplicaFiles replicas = ReplicaFiles.of("chaos", BLOCKS * SteadyWrites.BLOCK, data);
    replicas.agree(NODES);
    replicas.spoil();
    assertThatThrownBy(() -> replicas.agree(NODES)).hasMessageContaining("first byte where");
    System.out.printf("%s, %d writes, %d flushes%n", counts, writes.count(), writes.flushes());
  }

  private void round() throws IOException {
    List<Trouble> troubles = draw();
    System.out.printf("%s, %d writes so far%n", troubles, writes.count());
    writes.awaitProgress();
    boolean disconnects = troubles.contains(new Trouble(Fault.KILL, ENGINE_NODE));
    if (disconnects) {
      writes.expectDisconnection();
    }
    for (Trouble trouble : troubles) {
      counts.merge(trouble.fault(), 1, Integer::sum);
      begin(trouble);
    }
    LockSupport.parkNanos(Duration.ofMillis(random.nextInt(LONGEST_SECONDS * 1000)).toNanos());
    if (troubles.stream().noneMatch(Trouble::stopsClients)) {
      writes.awaitProgress();
    }
    Collections.shuffle(troubles, random);
    for (Trouble trouble : troubles) {
      end(trouble);
    }
    if (disconnects) {
      writes.awaitReconnection();
    }
    writes.awaitProgress();
  }

  private List<Trouble> draw() {
    List<Trouble> troubles = new ArrayList<>();
    int first = random.nextInt(TARGETS.size());
    Fault fault = any();
    troubles.add(new Trouble(fault, TARGETS.get(first)));
    Fault other = any();
    boolean both = fault != Fault.SEPARATE && other != Fault.SEPARATE && random.nextBoolean();
    if (both) {
      troubles.add(new Trouble(other, TARGETS.get(1 - first)));
    }
    return troubles;
  }

  private Fault any() {
    return Fault.values()[random.nextInt(Fault.values().length)];
  }

  private void begin(Trouble trouble) throws IOException {
    switch (trouble.fault()) {
      case KILL -> cluster.kill(trouble.node());
      case STAND_STILL -> cluster.pause(trouble.node());
      case CUT_OFF -> network.cutOff(trouble.node());
      case SEPARATE -> network.separate(TARGETS.get(0), TARGETS.get(1));
      case FILL_DISK -> fill(ballast(trouble.node()));
    }
  }

  private void end(Trouble trouble) throws IOException {
    switch (trouble.fault()) {
      case KILL -> cluster.up(trouble.node()).succeeded();
      case STAND_STILL -> cluster.resume(trouble.node());
      case CUT_OFF -> network.reconnect(trouble.node());
      case SEPARATE -> network.rejoin(TARGETS.get(0), TARGETS.get(1));
      case FILL_DISK -> Files.delete(ballast(trouble.node()));
    }
  }

  private Path ballast(int node) {
    return cluster.data(node).resolve("disks/ballast");
  }

  private static void fill(Path ballast) {
    try (var out = Files.newOutputStream(ballast)) {
      byte[] chunk = new byte[CHUNK];
      while (true) {
        out.write(chunk);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }
}
