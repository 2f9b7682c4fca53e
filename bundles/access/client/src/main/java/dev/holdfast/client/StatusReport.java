package dev.holdfast.client;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * State of Holdfast on this host, and the nodes of the cluster.
 *
 * @param pid of the container of this data directory, empty if it does not run
 * @param nodes all nodes by name
 */
public record StatusReport(OptionalLong pid, List<NodeReport> nodes) {
  /** Copies the list. */
  public StatusReport {
    nodes = List.copyOf(nodes);
  }

  /**
   * State of a node.
   *
   * @param name of the node
   * @param ready whether the node reports
   * @param pid pid of its container if it uses this data directory
   * @param addresses addresses of the node
   * @param ports of its services, by name
   */
  public record NodeReport(
      String name,
      boolean ready,
      OptionalLong pid,
      List<String> addresses,
      Map<String, Integer> ports) {}
}
