package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three containers in networks of their own, a volume with a replica on each, and writes that are
 * checked, while nodes are cut off from all or from each other, and a replica's disk is full. The
 * client keeps its connection throughout: it waits while the engine's node is isolated, and
 * receives no error.
 *
 * <p>Four faults of the network and of disks once, then all of them, and kills, drawn by {@code
 * -Dholdfast.chaos.seed}, for {@code -Dholdfast.chaos.minutes}.
 */
class NetworkFaultsE2E {
  private static final int NODES = 3;
  private static final int STORE_NODE = 1;
  private static final int ENGINE_NODE = 2;
  private static final int OTHER_NODE = 3;
  private static final int BLOCKS = 16384;
  private static final String DISK_SIZE = "size=256m";
  private static final int CHUNK = 1 << 20;
  private static final long SEED = Long.getLong("holdfast.chaos.seed", System.nanoTime());
  private static final int MINUTES =
      Integer.getInteger("holdfast.chaos.minutes", Boolean.getBoolean("holdfast.soak") ? 60 : 0);

  /** Shorter than an engine waits for a replica, so that no replica is removed. */
  private static final Duration SHORTLY = Duration.ofSeconds(2);

  /** Longer than an engine waits. */
  private static final Duration LONG = Duration.ofSeconds(15);

  private static final Duration BACK = Duration.ofMinutes(3);

  // In the usual run, ThreeNodesE2E stops the node with the store, KillE2E kills nodes with
  // replicas, and a replica that is cut off is also separated from the engine.
  private static final Set<Fault> ONCE =
      EnumSet.of(Fault.CUT_OFF_REPLICA, Fault.FILL_DISK, Fault.CUT_OFF_ENGINE);

  @TempDir Path data;
  private Cluster cluster;
  private Network network;
  private Tickets pods;

  private enum Fault {
    CUT_OFF_SHORTLY,
    CUT_OFF_REPLICA,
    SEPARATE_ENGINE_AND_REPLICA,
    FILL_DISK,
    CUT_OFF_ENGINE,
    CUT_OFF_STORE,
    KILL_REPLICA
  }

  @BeforeAll
  static void needsRoot() {
    Network.assumePossible();
  }

  @Test
  void noFaultLosesAWriteOrShowsAnError() throws Exception {
    System.out.printf("-Dholdfast.chaos.seed=%d -Dholdfast.chaos.minutes=%d%n", SEED, MINUTES);
    Path disks = Files.createDirectories(data.resolve("nodes/node-" + OTHER_NODE + "/disks"));
    Command.of("mount", "-t", "tmpfs", "-o", DISK_SIZE, "none", disks.toString()).run().succeeded();
    try (Network made = Network.of(NODES);
        Cluster started = Cluster.start(data, NODES, made)) {
      network = made;
      cluster = started;
      pods = new Tickets(cluster.api(), "csi-attacher");
      withstands();
    } finally {
      Command.of("umount", "-l", disks.toString()).run();
    }
  }

  private void withstands() throws Exception {
    pods.create(List.of("chaos"), "64Mi");
    pods.ask("chaos", "node-" + ENGINE_NODE);
    pods.awaitSatisfied("chaos", "node-" + ENGINE_NODE, BACK);
    Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    SteadyWrites writes = new SteadyWrites(BLOCKS, SEED, pods.endpoint("chaos"));
    try (writes) {
      Random random = new Random(SEED);
      long end = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
      List<Fault> once = new ArrayList<>(ONCE);
      while (!once.isEmpty() || System.nanoTime() < end) {
        Fault fault =
            once.isEmpty() ? Fault.values()[random.nextInt(Fault.values().length)] : once.remove(0);
        System.out.printf("%s, %d writes so far%n", fault, writes.count());
        writes.awaitProgress();
        inflict(fault, writes);
        writes.awaitProgress();
        pods.awaitRedundancy("chaos", NODES, BACK);
        counts.merge(fault, 1, Integer::sum);
      }
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

  private void inflict(Fault fault, SteadyWrites writes) throws Exception {
    switch (fault) {
      case CUT_OFF_SHORTLY -> {
        network.cutOff(OTHER_NODE);
        LockSupport.parkNanos(SHORTLY.toNanos());
        network.reconnect(OTHER_NODE);
      }
      case CUT_OFF_REPLICA -> {
        network.cutOff(OTHER_NODE);
        goesOnDegraded(writes);
        network.reconnect(OTHER_NODE);
      }
      case SEPARATE_ENGINE_AND_REPLICA -> {
        network.separate(ENGINE_NODE, OTHER_NODE);
        goesOnDegraded(writes);
        network.rejoin(ENGINE_NODE, OTHER_NODE);
      }
      case FILL_DISK -> fillDisk(writes);
      case CUT_OFF_ENGINE -> {
        network.cutOff(ENGINE_NODE);
        LockSupport.parkNanos(LONG.toNanos());
        network.reconnect(ENGINE_NODE);
      }
      case CUT_OFF_STORE -> storeAway(writes);
      case KILL_REPLICA -> {
        cluster.kill(OTHER_NODE);
        writes.awaitProgress();
        cluster.up(OTHER_NODE).succeeded();
      }
    }
  }

  private void goesOnDegraded(SteadyWrites writes) {
    Await.until("a replica is dropped", BACK, () -> pods.robustness("chaos").equals("degraded"));
    writes.awaitProgress();
  }

  // Two members of three decide the members without the store; all other decisions wait until it
  // returns.
  private void storeAway(SteadyWrites writes) {
    long before = pods.epoch("chaos");
    network.cutOff(STORE_NODE);
    writes.awaitProgress();
    assertThat(cluster.run("node", "list").failed().err()).isNotEmpty();
    writes.awaitProgress();
    network.reconnect(STORE_NODE);
    // The store has no record yet: neither of the epoch without its node's replica, in which these
    // writes were acknowledged, nor of one with it.
    pods.awaitMembers("chaos", NODES, before + 2, BACK);
    cluster.awaitReadiness(ENGINE_NODE, "True");
  }

  private void fillDisk(SteadyWrites writes) throws IOException {
    Path ballast = cluster.data(OTHER_NODE).resolve("disks/ballast");
    try (var out = Files.newOutputStream(ballast)) {
      byte[] chunk = new byte[CHUNK];
      while (true) {
        out.write(chunk);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
    writes.awaitProgress();
    Files.delete(ballast);
  }
}
