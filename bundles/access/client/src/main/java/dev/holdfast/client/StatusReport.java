package dev.holdfast.client;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Whether Holdfast runs here, and which nodes there are.
 *
 * @param pid of the container of this data directory, empty when it does not run
 * @param nodes all nodes by name
 */
public record StatusReport(OptionalLong pid, List<NodeReport> nodes) {
  /** Copies the list. */
  public StatusReport {
    nodes = List.copyOf(nodes);
  }

  /**
   * One node.
   *
   * @param name of the node
   * @param ready whether the node reports
   * @param pid of its container when that is the one of this data directory
   * @param addresses where it is reached
   * @param ports of its services, by name
   */
  public record NodeReport(
      String name,
      boolean ready,
      OptionalLong pid,
      List<String> addresses,
      Map<String, Integer> ports) {}
}
