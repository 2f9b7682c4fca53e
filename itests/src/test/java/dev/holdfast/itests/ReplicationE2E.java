package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three containers, a volume with a replica on each, and writes that are checked, while the nodes
 * of replicas and the engine's own are killed, or stand still for shorter and longer than a replica
 * is waited for. The engine is not on the node with the store.
 *
 * <p>Faults are drawn by {@code -Dholdfast.chaos.seed}, for {@code -Dholdfast.chaos.minutes}.
 */
class ReplicationE2E {
  private static final int NODES = 3;
  private static final int ENGINE_NODE = 2;
  private static final int BLOCKS = 16384;
  private static final long SEED = Long.getLong("holdfast.chaos.seed", System.nanoTime());
  private static final int MINUTES =
      Integer.getInteger("holdfast.chaos.minutes", Boolean.getBoolean("holdfast.soak") ? 60 : 0);

  /** Shorter than an engine waits for a replica, so that no replica is removed. */
  private static final Duration SHORTLY = Duration.ofSeconds(2);

  private static final Duration BACK = Duration.ofMinutes(2);

  // In a short run NetworkFaultsE2E kills a replica's node and cuts one off. Nodes that stand still
  // are for soak.
  private static final Set<Fault> ONCE = EnumSet.of(Fault.KILL_ENGINE);

  @TempDir Path data;

  /** A fault of a node. */
  private enum Fault {
    PAUSE_REPLICA_SHORTLY,
    KILL_ENGINE,
    KILL_REPLICA,
    PAUSE_REPLICA
  }

  @Test
  void noFaultLosesAWriteOrShowsAnErrorWhileTheEngineIsThere() throws Exception {
    System.out.printf("-Dholdfast.chaos.seed=%d -Dholdfast.chaos.minutes=%d%n", SEED, MINUTES);
    Random random = new Random(SEED);
    try (Cluster cluster = Cluster.start(data, NODES)) {
      cluster.ok("volume", "create", "chaos", "--size", "64Mi", "--replicas", "3");
      cluster.ok("volume", "attach", "chaos", "--node", "node-" + ENGINE_NODE);
      Tickets volumes = new Tickets(cluster.api(), "api");
      SteadyWrites writes = new SteadyWrites(BLOCKS, SEED, endpoint(cluster));
      try (writes) {
        long end = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
        List<Fault> once = new ArrayList<>(ONCE);
        while (!once.isEmpty() || System.nanoTime() < end) {
          Fault fault = once.isEmpty() ? Fault.values()[random.nextInt(4)] : once.remove(0);
          int node = 3;
          System.out.printf("%s node %d, %d writes so far%n", fault, node, writes.count());
          inflict(cluster, volumes, writes, fault, node);
          awaitRedundancy(cluster, volumes);
        }
      }
      writes.verify();
      writes.pretendOneMore();
      assertThatThrownBy(writes::verify).hasMessageContaining("block 0 holds write");
      cluster.ok("volume", "detach", "chaos");
      ReplicaFiles replicas = ReplicaFiles.of("chaos", BLOCKS * SteadyWrites.BLOCK, data);
      replicas.agree(NODES);
      replicas.spoil();
      assertThatThrownBy(() -> replicas.agree(NODES)).hasMessageContaining("first byte where");
      System.out.printf("%d writes, %d flushes%n", writes.count(), writes.flushes());
    }
  }

  private static void inflict(
      Cluster cluster, Tickets volumes, SteadyWrites writes, Fault fault, int node) {
    writes.awaitProgress();
    switch (fault) {
      case KILL_REPLICA -> {
        cluster.kill(node);
        writes.awaitProgress();
        cluster.up(node).succeeded();
      }
      case PAUSE_REPLICA_SHORTLY -> {
        cluster.pause(node);
        LockSupport.parkNanos(SHORTLY.toNanos());
        cluster.resume(node);
      }
      case PAUSE_REPLICA -> {
        cluster.pause(node);
        try {
          awaitDegraded(volumes);
          writes.awaitProgress();
        } finally {
          cluster.resume(node);
        }
      }
      case KILL_ENGINE -> {
        writes.expectDisconnection();
        cluster.kill(ENGINE_NODE);
        cluster.up(ENGINE_NODE).succeeded();
        writes.awaitReconnection();
      }
    }
    writes.awaitProgress();
  }

  private static URI endpoint(Cluster cluster) {
    return URI.create(cluster.ok("volume", "endpoint", "chaos", "--remote"));
  }

  private static void awaitDegraded(Tickets volumes) {
    Await.until(
        "the volume is degraded", BACK, () -> volumes.robustness("chaos").equals("degraded"));
  }

  private static void awaitRedundancy(Cluster cluster, Tickets volumes) {
    volumes.awaitRedundancy("chaos", NODES, BACK);
    assertThat(cluster.json("volume", "get", "chaos").at("/status/replicas")).hasSize(NODES);
  }
}
