package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * From this version to earlier releases and back, while a client writes and reads. The releases are
 * built from their commits, which takes minutes the first time.
 */
@Tag("soak")
class ReleaseDowngradeE2E {
  private static final int NODES = 3;
  private static final int ENGINE_NODE = 2;
  private static final int BLOCKS = 2048;
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String CURRENT = BundleJars.currentVersion("holdfast-node");

  @TempDir Path data;

  @Test
  void threeNodesMoveToThePreviousReleaseAndBackUnderIo() throws Exception {
    String previous = Releases.previous();
    Path older = Releases.unpacked(previous, data.resolve("releases"));
    try (Cluster cluster = Cluster.start(data.resolve("cluster"), NODES)) {
      cluster.ok("volume", "create", "kept", "--size", "64Mi", "--replicas", "3");
      cluster.ok("volume", "attach", "kept", "--node", "node-" + ENGINE_NODE);
      SteadyWrites writes =
          new SteadyWrites(
              BLOCKS, 1, URI.create(cluster.ok("volume", "endpoint", "kept", "--remote")));
      try (writes) {
        writes.awaitProgress();
        assertThat(cluster.run("upgrade", older.toString()).failed().out())
            .contains("dev.holdfast.portal", "--restart");
        upgradesTo(cluster, writes, older, previous);
        cluster.ok("snapshot", "create", "kept", "of-the-previous-release");
        changesTo(cluster, writes, Releases.unpack(Releases.current(), data.resolve("now")));
        cluster.ok("snapshot", "create", "kept", "of-this-one");
        assertThat(cluster.ok("snapshot", "list", "kept"))
            .contains("of-the-previous-release", "of-this-one");
      }
      writes.verify();
      cluster.ok("volume", "detach", "kept");
      ReplicaFiles.of("kept", BLOCKS * SteadyWrites.BLOCK, data.resolve("cluster")).agree(NODES);
      System.out.printf(
          "to %s and back: %d writes, %d flushes%n", previous, writes.count(), writes.flushes());
    }
  }

  /** Every node in turn, by one command; one of them has clients that must reconnect. */
  private static void upgradesTo(
      Cluster cluster, SteadyWrites writes, Path release, String version) {
    writes.expectDisconnection();
    long began = System.nanoTime();
    cluster.ok("upgrade", release.toString(), "--restart", "--timeout", "300");
    System.out.printf(
        "three nodes run %s after %d s%n",
        version, Duration.ofNanos(System.nanoTime() - began).toSeconds());
    writes.awaitReconnection();
    allRun(cluster, version);
  }

  /** Every node in turn, by another distribution in the place of the one that it was started by. */
  private static void changesTo(Cluster cluster, SteadyWrites writes, Path distribution) {
    cluster.use(distribution);
    for (int node = 1; node <= NODES; node++) {
      awaitRedundancy(cluster);
      writes.expectDisconnection();
      cluster.down(node);
      cluster.up(node).succeeded();
      if (node == ENGINE_NODE) {
        writes.awaitReconnection();
      }
      writes.awaitProgress();
    }
    allRun(cluster, CURRENT);
  }

  private static void allRun(Cluster cluster, String version) {
    for (int node = 1; node <= NODES; node++) {
      String name = "node-" + node;
      Await.until(
          name + " says that it runs " + version,
          LIMIT,
          () -> cluster.json("node", "get", name).at("/status/version").asText().equals(version));
      assertThat(foreign(bundles(cluster, node), version))
          .as("bundles of another version on %s", name)
          .isEmpty();
    }
    awaitRedundancy(cluster);
  }

  private static void awaitRedundancy(Cluster cluster) {
    Await.until(
        "all replicas are current",
        LIMIT,
        () ->
            cluster
                .json("volume", "get", "kept")
                .at("/status/robustness")
                .asText()
                .equals("healthy"));
  }

  /** The shell's own bundles start late: after a restart it may hang up. */
  private static String bundles(Cluster cluster, int node) {
    AtomicReference<String> listed = new AtomicReference<>("");
    Await.until(
        "the shell of node " + node + " answers",
        LIMIT,
        () -> {
          Command.Result result =
              cluster.run(cluster.data(node), "shell", "bundle:list -t 0 -s --no-format");
          listed.set(result.out());
          return result.exitCode() == 0;
        });
    return listed.get();
  }

  private static List<String> foreign(String bundles, String version) {
    return bundles
        .lines()
        .filter(line -> line.contains("dev.holdfast.") && !line.contains(version))
        .toList();
  }

  /** Frontend and engine of 0.2.0 were built for the first major version of their contracts. */
  @Test
  void pluginsOfAnEarlierMajorAreRefusedUnderIo() throws Exception {
    Path earlier = Releases.unpacked("0.2.0", data.resolve("releases"));
    try (RunningNode node = RunningNode.start(data.resolve("node"))) {
      BundleUpgrades bundles = new BundleUpgrades(node);
      try (BusyClient client = new BusyClient(node.volume("kept", "64Mi", 2), BLOCKS)) {
        for (String plugin : List.of("frontend-nbd", "engine-sparse")) {
          Path jar = BundleJars.of(earlier, "holdfast-" + plugin);
          String bundle = "dev.holdfast." + plugin.replace('-', '.');
          assertThat(bundles.upgrade(false, jar.toString()).path("reason").asText())
              .contains(
                  bundle + " 0.2.0 needs package dev.holdfast." + plugin.split("-", 2)[0],
                  "this platform offers 2.");
          assertThat(bundles.versions(bundle)).containsExactly("Active " + CURRENT);
          client.healthy();
        }
      }
      node.ok("volume", "detach", "kept");
      node.replicasAgree("kept", 2);
    }
  }

  @Test
  void theStoreAndTheVolumesOfOneReleaseAreThoseOfTheOthers() throws IOException {
    Path first = Releases.unpacked("0.1.0", data.resolve("releases"));
    Path previous = Releases.unpacked(Releases.previous(), data.resolve("releases"));
    RunningNode node = RunningNode.of(data.resolve("node"), first);
    try {
      Ports ports = node.ports();
      node.ok(
          "up",
          "--no-demo",
          "--api-port",
          String.valueOf(ports.api()),
          "--nbd-port",
          String.valueOf(ports.nbd()),
          "--ssh-port",
          String.valueOf(ports.ssh()));
      SteadyWrites writes = new SteadyWrites(BLOCKS, 2, node.volume("kept", "64Mi", 2));
      try (writes) {
        writes.awaitProgress();
        node = changes(node, writes, node.current(), "first-upgrade");
        node = changes(node, writes, node.at(previous), "downgrade");
        node = changes(node, writes, node.current(), "second-upgrade");
      }
      writes.verify();
      assertThat(node.ok("volume", "list"))
          .contains("kept", "first-upgrade", "downgrade", "second-upgrade");
      node.ok("volume", "detach", "kept");
      node.replicasAgree("kept", 2);
    } finally {
      node.close();
    }
  }

  /** Another distribution on the same data directory, which then makes a volume of its own. */
  private static RunningNode changes(
      RunningNode from, SteadyWrites writes, RunningNode to, String made) {
    writes.expectDisconnection();
    from.ok("down");
    to.up().succeeded();
    writes.awaitReconnection();
    try (NbdConnection connection = new NbdConnection(to.volume(made, "1Mi", 1))) {
      assertThat(connection.write(0, new byte[] {1})).isZero();
    } catch (IOException e) {
      throw new AssertionError(made, e);
    }
    to.ok("volume", "detach", made);
    return to;
  }
}
