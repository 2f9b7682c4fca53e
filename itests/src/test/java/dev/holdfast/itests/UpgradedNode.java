package dev.holdfast.itests;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A node whose bundles are replaced while one client writes, reads and flushes. The client keeps
 * one connection unless the test expects its loss.
 */
final class UpgradedNode implements AutoCloseable {
  /** The volume that the client uses. */
  static final String VOLUME = "written";

  private static final int REPLICAS = 2;
  private static final int BLOCKS = 1024;
  private static final long SEED = 6;

  private final RunningNode node;
  private final BundleUpgrades bundles;
  private final SteadyWrites client;

  private UpgradedNode(RunningNode node, SteadyWrites client) {
    this.node = node;
    this.bundles = new BundleUpgrades(node);
    this.client = client;
  }

  /**
   * Starts a node and its client.
   *
   * @param probationSeconds for how long a new bundle is watched
   * @param options of {@code up}
   */
  static UpgradedNode start(Path data, int probationSeconds, String... options) {
    RunningNode node =
        RunningNode.of(data.resolve("node"))
            .withJava(
                RunningNode.QUICK
                    + " -Dholdfast.upgrade.probation.seconds="
                    + probationSeconds
                    + " "
                    + KeptPlugins.JAVA_OPTIONS);
    try {
      node.up(options).succeeded();
      SteadyWrites client = new SteadyWrites(BLOCKS, SEED, node.volume(VOLUME, "16Mi", REPLICAS));
      client.awaitProgress();
      return new UpgradedNode(node, client);
    } catch (AssertionError e) {
      node.close();
      throw e;
    }
  }

  RunningNode node() {
    return node;
  }

  BundleUpgrades bundles() {
    return bundles;
  }

  SteadyWrites client() {
    return client;
  }

  /** Fails if the client met an error, if a write is lost, or if the replicas differ. */
  @Override
  public void close() throws IOException {
    try {
      client.close();
      client.verify();
      node.ok("volume", "detach", VOLUME);
      node.replicasAgree(VOLUME, REPLICAS);
    } finally {
      node.close();
    }
  }
}
