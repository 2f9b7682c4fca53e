package dev.holdfast.node.internal;

import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The report about a node's disks. This class checks directories, the engines check other disks. A
 * disk that a user removed from the node is reported until its engine has released it.
 */
final class NodeDisks {
  private final EngineDiskProbe engines;
  private final Node node;

  NodeDisks(InstalledPlugins plugins, Node node) {
    this.engines = new EngineDiskProbe(plugins, node.name());
    this.node = node;
  }

  /**
   * Checks all disks.
   *
   * @param all nodes nodes of the cluster, whose reports show shared directories
   */
  Map<String, DiskStatus> observe(List<Node> all, Instant now) {
    Map<String, DiskStatus> disks = new TreeMap<>();
    node.spec()
        .disks()
        .forEach(
            (id, spec) -> {
              DiskStatus earlier = node.status().diskStatus().getOrDefault(id, DiskStatus.EMPTY);
              disks.put(id, onlyOnce(observe(id, spec, earlier, all, now), disks, now));
            });
    node.status()
        .diskStatus()
        .forEach(
            (id, status) -> {
              if (!node.spec().disks().containsKey(id)) {
                engines.release(id, status, now).ifPresent(kept -> disks.put(id, kept));
              }
            });
    return disks;
  }

  private DiskStatus observe(
      String id, DiskSpec spec, DiskStatus earlier, List<Node> all, Instant now) {
    if (spec.type() != DiskType.DIRECTORY) {
      return engines.observe(id, spec, earlier, now);
    }
    DiskStatus status = DiskProbe.observe(id, spec, earlier, now);
    boolean elsewhere =
        all.stream()
            .filter(other -> !other.name().equals(node.name()))
            .anyMatch(other -> other.diskWithIdentity(status.diskUUID()).isPresent());
    return status.withShared(elsewhere);
  }

  /** Rejects a disk under a second path, because its space would be promised twice. */
  private static DiskStatus onlyOnce(
      DiskStatus status, Map<String, DiskStatus> before, Instant now) {
    boolean engineDisk = status.type() != DiskType.DIRECTORY && !status.diskUUID().isEmpty();
    return before.entrySet().stream()
        .filter(other -> engineDisk && other.getValue().diskUUID().equals(status.diskUUID()))
        .findFirst()
        .map(
            other ->
                status.withConditions(
                    Condition.with(
                        status.conditions(),
                        DiskProbe.READY,
                        Condition.Status.FALSE,
                        "DiskTwice",
                        status.path()
                            + " is the same disk as "
                            + other.getKey()
                            + " ("
                            + other.getValue().path()
                            + "): remove one of them with 'holdfast disk remove'",
                        now)))
        .orElse(status);
  }
}
