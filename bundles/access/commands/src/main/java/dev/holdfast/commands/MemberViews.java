package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.RemovedNode;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.node.Node;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Formats a node and its membership for output. */
public final class MemberViews {
  private final ResourceJson json = new ResourceJson();

  /** Shows only the new token, so that scripts can use it. */
  public Output token(IssuedToken issued) {
    return new Output(() -> issued.token().text(), () -> tree(issued));
  }

  /**
   * Shows the command with which another machine joins.
   *
   * @param issued the token to use
   * @param server address and port of the API
   */
  public Output joinCommand(IssuedToken issued, String server) {
    return new Output(
        () ->
            "On the machine that joins, before "
                + issued.expires()
                + ":\n  holdfast up --join "
                + server
                + " --address ITS-ADDRESS --token "
                + issued.token().text(),
        () -> tree(issued).put("server", server));
  }

  private ObjectNode tree(IssuedToken issued) {
    return json.mapper()
        .createObjectNode()
        .put("token", issued.token().text())
        .put("expires", issued.expires().toString());
  }

  /** Shows that a data directory now belongs to a node of a cluster. */
  public Output joined(String node, URI cluster) {
    return membership(node, cluster, "joined the cluster of ");
  }

  /**
   * Shows that a node received a new certificate.
   *
   * @param cluster the API that signed it; empty when the node has the authority
   */
  public Output renewed(String node, Optional<URI> cluster) {
    return cluster
        .map(signer -> membership(node, signer, "has a new certificate from "))
        .orElseGet(
            () ->
                new Output(
                    () -> "node " + node + " has a new certificate of its own authority",
                    () -> json.mapper().createObjectNode().put("node", node)));
  }

  private Output membership(String node, URI cluster, String event) {
    return new Output(
        () -> "node " + node + " " + event + cluster,
        () ->
            json.mapper().createObjectNode().put("node", node).put("cluster", cluster.toString()));
  }

  /** Shows that a node was removed. */
  public Output removed(RemovedNode node) {
    return new Output(
        () ->
            "node "
                + node.name()
                + " removed"
                + (node.held().isEmpty() ? "" : "; it had " + node.held())
                + ". Its processes and files are left as they are.",
        () -> json.mapper().createObjectNode().put("name", node.name()).put("held", node.held()));
  }

  /** Shows one node. */
  public Output node(Node node) {
    return new Output(() -> text(node), () -> json.tree(node));
  }

  private static String text(Node node) {
    List<String> lines = new ArrayList<>();
    lines.add("name          " + node.name());
    lines.add("ready         " + readiness(node));
    lines.add("schedulable   " + node.spec().allowScheduling());
    lines.add("address       " + node.status().address());
    lines.add("ports         " + joined(new TreeMap<>(node.status().ports())));
    lines.add("version       " + node.status().version());
    lines.add("engines       " + String.join(",", node.status().engines()));
    lines.add("frontends     " + String.join(",", node.status().frontends()));
    lines.add("disks         " + String.join(",", new TreeMap<>(node.spec().disks()).keySet()));
    return lines.stream().map(Table::printable).collect(Collectors.joining("\n"));
  }

  private static String readiness(Node node) {
    return Condition.find(node.status().conditions(), Condition.READY)
        .map(c -> c.status() + (c.message().isEmpty() ? "" : " (" + c.message() + ")"))
        .orElse("Unknown");
  }

  private static String joined(Map<String, Integer> ports) {
    return ports.entrySet().stream()
        .map(port -> port.getKey() + ":" + port.getValue())
        .collect(Collectors.joining(","));
  }
}
