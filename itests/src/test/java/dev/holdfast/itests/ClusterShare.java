package dev.holdfast.itests;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * The share {@code files} of a cluster whose nodes have networks of their own. It has a floating
 * address, and its volume has replicas on the nodes without the store.
 */
final class ClusterShare {
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final String NAME = "files";
  private static final int HOST = 200;

  private final Cluster cluster;
  private final Network network;

  private ClusterShare(Cluster cluster, Network network) {
    this.cluster = cluster;
    this.network = network;
  }

  /** Creates the volume and exports it. */
  static ClusterShare create(Cluster cluster, Network network, String size) {
    ClusterShare share = new ClusterShare(cluster, network);
    share.cordon(1, true);
    cluster.ok("volume", "create", NAME, "--size", size, "--replicas", "2", "--access-mode", "rwx");
    share.cordon(1, false);
    cluster.ok(
        "share",
        NAME,
        "--timeout",
        String.valueOf(LONG.toSeconds()),
        "--allow",
        network.address(0) + "/24",
        "--address",
        network.address(HOST) + "/24%eth0");
    return share;
  }

  String name() {
    return NAME;
  }

  private JsonNode status() {
    return cluster.api().get("sharemanagers", NAME).path("status");
  }

  URI endpoint() {
    return URI.create(status().path("endpoint").asText());
  }

  /** Returns the node that serves it. */
  int node() {
    return Integer.parseInt(status().path("nodeID").asText().substring("node-".length()));
  }

  long epoch() {
    return status().at("/epoch/number").asLong();
  }

  boolean isRunning() {
    return status().path("state").asText().equals("running");
  }

  /** Waits until another node than the former one serves it, with a later epoch. */
  void awaitServing(int former, long epoch) {
    Await.until(
        "the share runs on another node than node-" + former,
        LONG,
        () -> {
          JsonNode status = status();
          return status.path("state").asText().equals("running")
              && status.at("/epoch/number").asLong() > epoch
              && !status.path("nodeID").asText().equals("node-" + former);
        });
  }

  void cordon(int node, boolean value) {
    cluster.api().patch("nodes", "node-" + node, spec -> spec.put("allowScheduling", !value));
  }

  /** Ends all processes of a node; its address, mounts and devices go with it. */
  void cutPower(int node) {
    network.cutOff(node);
    cluster.kill(node);
    ShareRemains.remove(cluster.data(node));
    Command.of(
            "ip",
            "-n",
            network.namespace(node),
            "address",
            "flush",
            "to",
            network.address(HOST),
            "dev",
            "eth0")
        .run()
        .succeeded();
    network.reconnect(node);
  }

  /** Returns Ganesha's process on a node. */
  Optional<ProcessHandle> server(int node) {
    return ShareRemains.processes(cluster.data(node).resolve("share-nfs")).stream()
        .filter(process -> ShareRemains.command(process).startsWith("ganesha.nfsd"))
        .findFirst();
  }
}
