package dev.holdfast.itests;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** Volumes of a cluster as pods on one node use them, and what is to be seen of them. */
final class PodVolumes {
  /** How many blocks a pod writes. */
  static final int BLOCKS = 64;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Cluster cluster;
  private final Tickets pods;
  private final String node;

  PodVolumes(Cluster cluster, Tickets pods, String node) {
    this.cluster = cluster;
    this.pods = pods;
    this.node = node;
  }

  /** Makes a volume that a pod has written the first round into. */
  void create(String volume, int replicas) throws IOException {
    cluster.ok("volume", "create", volume, "--size", "16Mi", "--replicas", "" + replicas, "--wait");
    used(volume, 1);
  }

  /** Runs a pod that writes a round into the volume. */
  void used(String volume, int round) throws IOException {
    attached(volume);
    new NumberedBlocks(volume).write(pods.endpoint(volume), round, BLOCKS);
    left(volume);
  }

  /** Runs a pod that verifies a round in the volume, written under a name. */
  void holds(String volume, String writtenAs, int round) throws IOException {
    attached(volume);
    new NumberedBlocks(writtenAs).verify(pods.endpoint(volume), round, BLOCKS);
    left(volume);
  }

  /** A pod comes and stays. */
  void attached(String volume) {
    pods.ask(volume, node);
    pods.awaitSatisfied(volume, node, LIMIT);
  }

  /** Removes the pod. */
  void left(String volume) {
    pods.withdraw(volume, node);
    pods.awaitDetached(volume, LIMIT);
  }

  JsonNode status(String volume) {
    return cluster.api().get("volumes", volume).path("status");
  }

  /** How often the volume was opened. */
  long openings(String volume) {
    return cluster.api().engineOf(volume).at("/status/membership/generation").asLong();
  }

  /** The types of the tickets that hold the volume. */
  List<String> holders(String volume) {
    return cluster.json("volume", "why", volume).path("holders").findValuesAsText("type");
  }

  List<String> nodesWithReplicas(String volume) {
    return status(volume).path("replicas").findValuesAsText("nodeID");
  }

  /** Lets new replicas come to a node, or not. */
  void schedulesOn(String which, boolean allowed) {
    cluster.api().patch("nodes", which, spec -> spec.put("allowScheduling", allowed));
  }

  /** Returns the error that one more write is answered with; -1 when the connection ends. */
  int answerToAWrite(URI endpoint, long offset) {
    try (NbdConnection connection = new NbdConnection(endpoint)) {
      return connection.write(offset, new NumberedBlocks("late").content(1, 1));
    } catch (IOException e) {
      return -1;
    }
  }
}
