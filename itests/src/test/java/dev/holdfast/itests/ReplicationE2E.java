package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
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

  /** Less than an engine waits for a replica: nobody is dropped. */
  private static final Duration SHORTLY = Duration.ofSeconds(2);

  private static final Duration BACK = Duration.ofMinutes(2);

  @TempDir Path data;

  /** What is done to a node. */
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
      SteadyWrites writes = new SteadyWrites(BLOCKS, SEED, endpoint(cluster));
      try (writes) {
        long end = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
        List<Fault> once = new ArrayList<>(List.of(Fault.values()));
        while (!once.isEmpty() || System.nanoTime() < end) {
          Fault fault = once.isEmpty() ? Fault.values()[random.nextInt(4)] : once.remove(0);
          int node = 3;
          System.out.printf("%s node %d, %d writes so far%n", fault, node, writes.count());
          inflict(cluster, writes, fault, node);
          awaitRedundancy(cluster);
        }
      }
      writes.verify();
      writes.pretendOneMore();
      assertThatThrownBy(writes::verify).hasMessageContaining("block 0 holds write");
      cluster.ok("volume", "detach", "chaos");
      replicasAgree();
      spoil(replicas().get(1));
      assertThatThrownBy(this::replicasAgree).hasMessageContaining("first byte where");
      System.out.printf("%d writes, %d flushes%n", writes.count(), writes.flushes());
    }
  }

  private static void inflict(Cluster cluster, SteadyWrites writes, Fault fault, int node) {
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
          awaitRobustness(cluster, "degraded");
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
    return URI.create(cluster.ok("volume", "endpoint", "chaos"));
  }

  private static void awaitRedundancy(Cluster cluster) {
    awaitRobustness(cluster, "healthy");
    JsonNode replicas = cluster.json("volume", "get", "chaos").at("/status/replicas");
    assertThat(replicas).hasSize(NODES);
    replicas.forEach(replica -> assertThat(replica.path("mode").asText()).isEqualTo("RW"));
  }

  private static void awaitRobustness(Cluster cluster, String wanted) {
    Await.until(
        "the volume is " + wanted,
        BACK,
        () ->
            cluster
                .json("volume", "get", "chaos")
                .at("/status/robustness")
                .asText()
                .equals(wanted));
  }

  private List<Path> replicas() throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      return files
          .filter(file -> file.getFileName().toString().equals("volume.meta"))
          .map(Path::getParent)
          .toList();
    }
  }

  private void replicasAgree() throws IOException {
    List<Path> replicas = replicas();
    assertThat(replicas).hasSize(NODES);
    byte[] first = content(replicas.get(0));
    for (Path replica : replicas) {
      assertThat(Arrays.mismatch(first, content(replica)))
          .as("first byte where %s differs from %s", replica, replicas.get(0))
          .isEqualTo(-1);
    }
  }

  // Layers that became superfluous may still be there on some replicas. No block of zeros was ever
  // written, so one that is zero is not in that layer.
  private static byte[] content(Path replica) throws IOException {
    byte[] all = new byte[BLOCKS * SteadyWrites.BLOCK];
    byte[] zeros = new byte[SteadyWrites.BLOCK];
    String layer = meta(replica, "volume.meta", "Head");
    while (!layer.isEmpty()) {
      byte[] bytes = Files.readAllBytes(replica.resolve(layer));
      for (int at = 0; at < all.length; at += zeros.length) {
        if (Arrays.equals(all, at, at + zeros.length, zeros, 0, zeros.length)) {
          System.arraycopy(bytes, at, all, at, zeros.length);
        }
      }
      layer = meta(replica, layer + ".meta", "Parent");
    }
    return all;
  }

  private static String meta(Path replica, String file, String field) throws IOException {
    return Cluster.tree(Files.readString(replica.resolve(file))).path(field).asText();
  }

  private static void spoil(Path replica) throws IOException {
    Path head = replica.resolve(meta(replica, "volume.meta", "Head"));
    try (RandomAccessFile bytes = new RandomAccessFile(head.toFile(), "rw")) {
      int before = bytes.read();
      bytes.seek(0);
      bytes.write(before + 1);
    }
  }
}
