package dev.holdfast.support.internal;

import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Checks of nodes, their disks and their bundles. Pure functions. */
final class NodeChecks {
  private static final String LEAST_FREE = "storage-minimal-available-percentage";
  private static final int DEFAULT_LEAST_FREE = 10;
  private static final BigInteger HUNDRED = BigInteger.valueOf(100);

  private NodeChecks() {}

  static List<HealthFinding> findings(ClusterView view) {
    List<HealthFinding> found = new ArrayList<>();
    for (Node node : view.nodes()) {
      if (Condition.isTrue(node.status().conditions(), Condition.READY)) {
        node.status()
            .diskStatus()
            .forEach((id, disk) -> disk(node, id, disk, view).ifPresent(found::add));
        plugins(node, found);
        open(node).ifPresent(found::add);
      } else {
        // Its other conditions are as old as the node's last report.
        found.add(down(node));
      }
      if (node.isCordoned()) {
        found.add(cordoned(node));
      }
    }
    versions(view.nodes()).ifPresent(found::add);
    return found;
  }

  private static HealthFinding down(Node node) {
    Optional<Condition> ready = Condition.find(node.status().conditions(), Condition.READY);
    return new HealthFinding(
        "NODE_DOWN",
        HealthSeverity.ERROR,
        List.of("node/" + node.name()),
        ready.map(Condition::lastTransitionTime),
        "node "
            + node.name()
            + " is not ready: "
            + ready
                .map(Condition::message)
                .filter(text -> !text.isBlank())
                .orElse("it has not reported yet"),
        "start it there with 'holdfast up', or take it out of the cluster: holdfast node remove "
            + node.name());
  }

  private static HealthFinding cordoned(Node node) {
    boolean bySpec = !node.spec().allowScheduling();
    return new HealthFinding(
        "NODE_CORDONED",
        HealthSeverity.WARNING,
        List.of("node/" + node.name()),
        Optional.empty(),
        "node " + node.name() + " gets no new replicas, because it is cordoned",
        bySpec
            ? "admit replicas again: kubectl patch nodes.holdfast.dev "
                + node.name()
                + " --type merge -p '{\"spec\":{\"allowScheduling\":true}}'"
            : "admit replicas again: kubectl uncordon " + node.name());
  }

  /** Reports open access. The condition of the node lists the clients that need a credential. */
  private static Optional<HealthFinding> open(Node node) {
    return Condition.find(node.status().conditions(), Node.DATA_PATH_AUTHENTICATED_CONDITION)
        .filter(condition -> condition.reason().equals(Node.DATA_PATH_OPEN_REASON))
        .map(
            condition ->
                new HealthFinding(
                    "FRONTEND_OPEN",
                    HealthSeverity.WARNING,
                    List.of("node/" + node.name()),
                    Optional.of(condition.lastTransitionTime()),
                    "node " + node.name() + ": " + oneLine(condition.message()),
                    "give clients on other hosts a credential by 'holdfast client add', then close"
                        + " the node: holdfast down, holdfast up --open-frontends loopback"));
  }

  private static Optional<HealthFinding> disk(
      Node node, String id, DiskStatus disk, ClusterView view) {
    return Condition.find(disk.conditions(), Condition.READY)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .map(condition -> absent(node, id, condition))
        .or(() -> full(node, id, disk, view));
  }

  private static HealthFinding absent(Node node, String id, Condition condition) {
    return new HealthFinding(
        "DISK_ABSENT",
        HealthSeverity.ERROR,
        objects(node, id),
        Optional.of(condition.lastTransitionTime()),
        "disk " + id + " of node " + node.name() + ": " + oneLine(condition.message()),
        "mount its file system on node "
            + node.name()
            + ", or give it up: holdfast disk remove "
            + id
            + " --node "
            + node.name());
  }

  private static List<String> objects(Node node, String disk) {
    return List.of("disk/" + node.name() + "/" + disk);
  }

  private static Optional<HealthFinding> full(
      Node node, String id, DiskStatus disk, ClusterView view) {
    int percent = leastFree(view.settings());
    BigInteger size = BigInteger.valueOf(disk.storageMaximum().bytes());
    BigInteger free = BigInteger.valueOf(disk.storageAvailable().bytes());
    BigInteger least = size.multiply(BigInteger.valueOf(percent)).divide(HUNDRED);
    if (size.signum() == 0 || free.compareTo(least) >= 0) {
      return Optional.empty();
    }
    List<Replica> replicas =
        view.replicas().stream()
            .filter(replica -> replica.diskOn(node).filter(id::equals).isPresent())
            .toList();
    List<DeletedVolume> deleted =
        view.deletedVolumes().stream()
            .filter(volume -> volume.spaceOn(replicas).bytes() > 0)
            .toList();
    return Optional.of(
        new HealthFinding(
            "DISK_FULL",
            HealthSeverity.WARNING,
            objects(node, id),
            Optional.empty(),
            "disk "
                + id
                + " of node "
                + node.name()
                + ": "
                + free.multiply(HUNDRED).divide(size)
                + " % are free, "
                + percent
                + " % must stay free ("
                + LEAST_FREE
                + ")"
                + held(deleted, replicas),
            purges(deleted)
                + "remove snapshots or data there, or add a disk: holdfast disk add PATH --node "
                + node.name()));
  }

  private static String held(List<DeletedVolume> deleted, List<Replica> replicas) {
    long bytes = deleted.stream().mapToLong(volume -> volume.spaceOn(replicas).bytes()).sum();
    return deleted.isEmpty() ? "" : "; deleted volumes hold " + new Quantity(bytes) + " there";
  }

  private static String purges(List<DeletedVolume> deleted) {
    return deleted.isEmpty()
        ? ""
        : "remove the content of deleted volumes by 'holdfast volume purge': "
            + deleted.stream().map(DeletedVolume::name).collect(Collectors.joining(", "))
            + "; ";
  }

  /** Returns the threshold. The default applies to an invalid value in the store. */
  private static int leastFree(List<Setting> settings) {
    return settings.stream()
        .filter(setting -> setting.name().equals(LEAST_FREE))
        .map(setting -> setting.spec().value())
        .filter(value -> value.matches("[0-9]{1,3}"))
        .map(Integer::valueOf)
        .findFirst()
        .orElse(DEFAULT_LEAST_FREE);
  }

  private static void plugins(Node node, List<HealthFinding> found) {
    for (String type :
        List.of(Node.PLUGINS_HEALTHY_CONDITION, Node.PLUGIN_NAMES_UNIQUE_CONDITION)) {
      Condition.find(node.status().conditions(), type)
          .filter(condition -> condition.status() == Condition.Status.FALSE)
          .ifPresent(
              condition ->
                  found.add(
                      new HealthFinding(
                          "PLUGIN_TROUBLE",
                          HealthSeverity.WARNING,
                          List.of("node/" + node.name()),
                          Optional.of(condition.lastTransitionTime()),
                          oneLine(condition.message()),
                          "return to the former version: holdfast upgrade --rollback; or uninstall"
                              + " the bundle in the Karaf shell of node "
                              + node.name())));
    }
  }

  private static Optional<HealthFinding> versions(List<Node> nodes) {
    Map<String, List<String>> byVersion =
        nodes.stream()
            .filter(node -> !node.status().version().isEmpty())
            .collect(
                Collectors.groupingBy(
                    node -> node.status().version(),
                    TreeMap::new,
                    Collectors.mapping(Resource::name, Collectors.toList())));
    if (byVersion.size() < 2) {
      return Optional.empty();
    }
    String sentence =
        byVersion.entrySet().stream()
            .map(entry -> entry.getKey() + " on " + String.join(", ", entry.getValue()))
            .collect(Collectors.joining("; ", "nodes run different versions: ", ""));
    return Optional.of(
        new HealthFinding(
            "VERSION_SKEW",
            HealthSeverity.WARNING,
            nodes.stream().map(node -> "node/" + node.name()).toList(),
            Optional.empty(),
            sentence,
            "upgrade the others: holdfast upgrade FILE --node N; holdfast upgrade --status shows"
                + " the progress"));
  }

  private static String oneLine(String text) {
    return text.isBlank() ? "no details are known" : text.replaceAll("\\s+", " ");
  }
}
