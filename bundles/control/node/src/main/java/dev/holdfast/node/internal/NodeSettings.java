package dev.holdfast.node.internal;

import dev.holdfast.datapath.NodeName;
import dev.holdfast.datapath.StateDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Settings with which this node was started.
 *
 * @param name of the node
 * @param data the state directory
 * @param address address for other nodes
 * @param ports of its services, by name
 * @param defaultDisks number of disks that it creates at its first start
 * @param version of Holdfast
 * @param lease time for which a node without reports counts as ready, at least 4 s
 */
public record NodeSettings(
    String name,
    Path data,
    String address,
    Map<String, Integer> ports,
    int defaultDisks,
    String version,
    Duration lease) {
  private static final Map<String, Integer> PORTS =
      Map.of("api", 7443, "rpc", 7444, "nbd", 10809, "replica", 10810, "ssh", 8101);
  private static final int DEFAULT_DISKS = 3;
  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(40);
  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(4);

  public NodeSettings {
    ports = Map.copyOf(ports);
    if (lease.compareTo(SHORTEST_LEASE) < 0) {
      throw new IllegalArgumentException(
          "holdfast.node.lease must be at least "
              + SHORTEST_LEASE.toSeconds()
              + " seconds, not "
              + lease.toSeconds());
    }
  }

  /** Returns settings with the default lease. */
  public static NodeSettings of(
      String name,
      Path data,
      String address,
      Map<String, Integer> ports,
      int defaultDisks,
      String version) {
    return new NodeSettings(name, data, address, ports, defaultDisks, version, DEFAULT_LEASE);
  }

  /**
   * Reads the settings.
   *
   * @param properties returns a property's text or null, as {@code BundleContext.getProperty} does
   */
  static NodeSettings from(Function<String, String> properties, String version) {
    Function<String, Optional<String>> property =
        key -> Optional.ofNullable(properties.apply("holdfast." + key)).filter(v -> !v.isBlank());
    Map<String, Integer> ports = new TreeMap<>();
    PORTS.forEach(
        (service, port) ->
            ports.put(
                service,
                property.apply(service + ".port").map(text -> number(service, text)).orElse(port)));
    String bound = property.apply("address").orElse("127.0.0.1");
    return new NodeSettings(
        NodeName.of(properties),
        StateDirectory.of(properties),
        property.apply("advertised.address").orElse(bound),
        ports,
        property
            .apply("default.disks")
            .map(text -> number("default.disks", text))
            .orElse(DEFAULT_DISKS),
        version,
        property
            .apply("node.lease")
            .map(text -> Duration.ofSeconds(number("node.lease", text)))
            .orElse(DEFAULT_LEASE));
  }

  private static int number(String what, String text) {
    try {
      return Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("holdfast: " + what + " must be a number: " + text, e);
    }
  }
}
