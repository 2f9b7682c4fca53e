package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random faults, by {@code -Dholdfast.shares.seed}, for {@code -Dholdfast.shares.minutes}, of the
 * node that serves a share in a cluster of three. Two clients with real kernels (NFS 4.1 and 4.2)
 * append numbers, each synced, and hold locks of ranges of one file. They see no error, keep their
 * mounts and their locks, and lose no number. One fault occurs at a time, because the volume has
 * two replicas. The test prints for how long each client waited, by cause.
 *
 * <p>The node with the store has no replica. When it serves the share, only its server fails.
 */
@Tag("soak")
class ShareKillsE2E {
  private static final int NODES = 3;
  private static final int REPLICAS = 2;
  private static final int STORE_NODE = 1;
  private static final long SEED = Long.getLong("holdfast.shares.seed", System.nanoTime());
  private static final int MINUTES = Integer.getInteger("holdfast.shares.minutes", 60);

  /** Shorter and longer than a silent node is waited for. */
  private static final int LONGEST_SECONDS = 15;

  private static final Duration BACK = Duration.ofMinutes(4);
  private static final String DISK_SIZE = "size=256m";
  private static final String MOUNT = "/run/files";
  private static final String LOCKS = MOUNT + "/locks";
  private static final int RANGE = 10;

  @TempDir Path data;
  private final Random random = new Random(SEED);
  private final Map<Cause, List<Long>> outages = new EnumMap<>(Cause.class);
  private final List<ShareClient> clients = new ArrayList<>();
  private Cluster cluster;
  private Network network;
  private ClusterShare share;

  private enum Cause {
    SERVER_KILLED,
    SERVER_STOPPED,
    CONTAINER_KILLED,
    CONTAINER_STOPPED,
    POWER_LOST,
    CUT_OFF,
    CORDONED,
    DISK_FULL;

    /** Returns whether it is a fault of a whole node or of its disk. */
    boolean isOfNode() {
      return switch (this) {
        case SERVER_KILLED, SERVER_STOPPED, CORDONED -> false;
        case CONTAINER_KILLED, CONTAINER_STOPPED, POWER_LOST, CUT_OFF, DISK_FULL -> true;
      };
    }
  }

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
  void randomFaultsOfTheServingNodeLoseNoRecordAndNoLock() throws Exception {
    System.out.printf("-Dholdfast.shares.seed=%d -Dholdfast.shares.minutes=%d%n", SEED, MINUTES);
    List<Path> disks = new ArrayList<>();
    Duration lifetime = Duration.ofMinutes(MINUTES + 20);
    try {
      for (int node = STORE_NODE + 1; node <= NODES; node++) {
        disks.add(Files.createDirectories(data.resolve("nodes/node-" + node + "/disks")));
        mount(disks.get(disks.size() - 1));
      }
      try (Network made = Network.of(NODES);
          Cluster started = Cluster.start(data, NODES, made);
          ShareClient one = ShareClient.start(lifetime);
          ShareClient two = ShareClient.start(lifetime)) {
        network = made;
        cluster = started;
        share = ClusterShare.create(cluster, network, "128Mi");
        clients.addAll(List.of(one, two));
        withstands();
      }
    } finally {
      disks.forEach(disk -> Command.of("umount", "-l", disk.toString()).run());
    }
  }

  private static void mount(Path disk) {
    Command.of("mount", "-t", "tmpfs", "-o", DISK_SIZE, "none", disk.toString()).run().succeeded();
  }

  private void withstands() throws Exception {
    List<String> mounts = new ArrayList<>();
    for (int client = 0; client < clients.size(); client++) {
      ShareClient one = clients.get(client);
      one.mount(share.endpoint(), "4." + (client + 1), MOUNT);
      mounts.add(one.mountNumber(MOUNT));
      one.lock(LOCKS, (long) RANGE * client, RANGE);
      one.write(numbers(client));
    }
    clients.forEach(ShareClient::awaitProgress);
    assertLocks();
    long end = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
    List<Cause> order = new ArrayList<>(List.of(Cause.values()));
    do {
      Collections.shuffle(order, random);
      for (Cause cause : order) {
        boolean spared = cause.isOfNode() && share.node() == STORE_NODE;
        round(spared ? Cause.CORDONED : cause);
      }
    } while (System.nanoTime() < end);
    for (int client = 0; client < clients.size(); client++) {
      assertThat(clients.get(client).mountNumber(MOUNT)).isEqualTo(mounts.get(client));
    }
    assertNothingIsLost();
    outages.forEach(ShareKillsE2E::print);
  }

  private static String numbers(int client) {
    return MOUNT + "/numbers-" + client;
  }

  private void round(Cause cause) throws Exception {
    int node = share.node();
    long epoch = share.epoch();
    long server = share.server(node).orElseThrow().pid();
    clients.forEach(ShareClient::forgetPauses);
    begin(cause, node);
    awaitEffect(cause, node, epoch, server);
    end(cause, node, server);
    for (int each = 1; each <= NODES; each++) {
      cluster.awaitReadiness(each, "True");
    }
    new Tickets(cluster.api(), "api").awaitRedundancy(share.name(), REPLICAS, BACK);
    Await.until("the share runs", BACK, share::isRunning);
    clients.forEach(ShareClient::awaitProgress);
    for (ShareClient client : clients) {
      long waited = client.longestPause().toMillis();
      outages.computeIfAbsent(cause, unused -> new ArrayList<>()).add(waited);
      System.out.printf(
          "%s on node-%d, now node-%d: waited %d ms, %d numbers%n",
          cause, node, share.node(), waited, client.acknowledged());
    }
    assertLocks();
  }

  private void begin(Cause cause, int node) {
    switch (cause) {
      case SERVER_KILLED -> share.server(node).orElseThrow().destroyForcibly();
      case SERVER_STOPPED -> signal("STOP", share.server(node).orElseThrow().pid());
      case CONTAINER_KILLED -> cluster.kill(node);
      case CONTAINER_STOPPED -> cluster.pause(node);
      case POWER_LOST -> share.cutPower(node);
      case CUT_OFF -> network.cutOff(node);
      case CORDONED -> share.cordon(node, true);
      case DISK_FULL -> FullDisk.fill(ballast(node));
    }
  }

  /** A fault without an end of its own lasts until it had its effect, another one for a time. */
  private void awaitEffect(Cause cause, int node, long epoch, long server) {
    switch (cause) {
      case SERVER_KILLED ->
          Await.until(
              "another server runs",
              BACK,
              () ->
                  share
                      .server(share.node())
                      .map(ProcessHandle::pid)
                      .filter(p -> p != server)
                      .isPresent());
      case CORDONED -> share.awaitServing(node, epoch);
      default ->
          LockSupport.parkNanos(
              Duration.ofMillis(random.nextInt(LONGEST_SECONDS * 1000)).toNanos());
    }
  }

  private void end(Cause cause, int node, long server) throws IOException {
    switch (cause) {
      case SERVER_KILLED -> {}
      case SERVER_STOPPED -> signal("CONT", server);
      case CONTAINER_KILLED, POWER_LOST -> cluster.up(node).succeeded();
      case CONTAINER_STOPPED -> cluster.resume(node);
      case CUT_OFF -> network.reconnect(node);
      case CORDONED -> share.cordon(node, false);
      case DISK_FULL -> Files.delete(ballast(node));
    }
  }

  private Path ballast(int node) {
    return cluster.data(node).resolve("disks/ballast");
  }

  /** Sends a signal; the process may have ended. */
  private static void signal(String name, long process) {
    Command.of("kill", "-" + name, Long.toString(process)).run();
  }

  /** Each client has its own range and is refused the other one's. */
  private void assertLocks() throws Exception {
    for (int client = 0; client < clients.size(); client++) {
      int other = 1 - client;
      assertThat(clients.get(client).holdsLock()).as("client %d has its lock", client).isTrue();
      assertThat(clients.get(other).canLock(LOCKS, (long) RANGE * client, RANGE))
          .as("the lock of client %d is granted to the other one", client)
          .isFalse();
    }
  }

  private void assertNothingIsLost() throws Exception {
    List<Long> written = new ArrayList<>();
    for (ShareClient client : clients) {
      written.add(client.stop());
    }
    for (int client = 0; client < clients.size(); client++) {
      ShareClient other = clients.get(1 - client);
      assertThat(other.sh("cat " + numbers(client)).lines())
          .as("every number that client %d was acknowledged is there", client)
          .startsWith(
              LongStream.rangeClosed(1, written.get(client))
                  .mapToObj(Long::toString)
                  .toArray(String[]::new));
      assertThat(other.uninterruptible()).as("programs that wait in the kernel").isEmpty();
      clients.get(client).unlock();
      assertThat(other.canLock(LOCKS, (long) RANGE * client, RANGE))
          .as("a lock that was released")
          .isTrue();
    }
    System.out.printf("numbers: %s%n", written);
  }

  private static void print(Cause cause, List<Long> waits) {
    List<Long> sorted = waits.stream().sorted().toList();
    System.out.printf(
        "%s: %d rounds, median %d ms, longest %d ms%n",
        cause, sorted.size() / 2, sorted.get(sorted.size() / 2), sorted.get(sorted.size() - 1));
  }
}
