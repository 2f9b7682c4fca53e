package dev.holdfast.resource.node;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The observed state of a node.
 *
 * @param address address for other nodes, without a port
 * @param ports port of each service of the node, by name, for example nbd
 * @param version version of Holdfast
 * @param bootID identifier of the machine's present boot
 * @param engines names of the engines that are installed, sorted
 * @param frontends names of the frontends that are installed, sorted
 * @param diskStatus disks of the node, by identifier
 * @param conditions observed aspects: Ready
 * @param engineCapabilities capabilities of each installed engine, by its name, for example
 *     REMOTE_REPLICAS
 * @param engineOptions options that each installed engine declares for its volumes, by its name
 * @param engineDisks declaration of each installed engine about its disks, by its name; an engine
 *     without a declaration keeps replicas in directories of single nodes
 * @param nativeProtocols protocols of native exports of each installed engine, by its name, for
 *     example nbd
 */
@RecordBuilder
public record NodeStatus(
    String address,
    Map<String, Integer> ports,
    String version,
    String bootID,
    List<String> engines,
    List<String> frontends,
    Map<String, DiskStatus> diskStatus,
    List<Condition> conditions,
    Map<String, List<String>> engineCapabilities,
    Map<String, List<DeclaredOption>> engineOptions,
    Map<String, EngineDisks> engineDisks,
    Map<String, List<String>> nativeProtocols)
    implements NodeStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final NodeStatus EMPTY = NodeStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public NodeStatus {
    address = Defaults.text(address);
    ports = Defaults.map(ports);
    version = Defaults.text(version);
    bootID = Defaults.text(bootID);
    engines = Defaults.list(engines);
    frontends = Defaults.list(frontends);
    diskStatus = Defaults.map(diskStatus);
    conditions = Defaults.list(conditions);
    engineCapabilities = Defaults.map(engineCapabilities);
    engineOptions = Defaults.map(engineOptions);
    engineDisks = Defaults.map(engineDisks);
    nativeProtocols = Defaults.map(nativeProtocols);
  }

  /**
   * Returns the protocols by which hosts can reach a volume on this node: those of its frontends,
   * and those of the engine's native exports.
   *
   * @param engine name of the volume's engine, not null
   * @return names as in {@code Volume.spec.frontend}, sorted; empty while the node reports none
   * @since 1.1
   */
  public List<String> protocols(String engine) {
    return Stream.concat(
            frontends.stream(), nativeProtocols.getOrDefault(engine, List.of()).stream())
        .distinct()
        .sorted()
        .toList();
  }
}
