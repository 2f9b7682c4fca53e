package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.Disk;
import dev.holdfast.client.StatusReport;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.ResourceList;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Formats nodes and disks for output: tables for users, JSON for programs. */
public final class NodeViews {
  private final Clock clock;
  private final ResourceJson json = new ResourceJson();

  /** Shows ages by a clock. */
  public NodeViews(Clock clock) {
    this.clock = clock;
  }

  /** Shows all nodes. */
  public Output nodes(ResourceList<Node> nodes) {
    return new Output(
        () -> {
          Table table =
              new Table("NAME", "READY", "SCHEDULABLE", "ADDRESS", "PORTS", "DISKS", "AGE");
          for (Node node : nodes.items()) {
            table.row(
                node.name(),
                readiness(node.status().conditions()),
                node.spec().allowScheduling(),
                node.status().address(),
                ports(node.status().ports()),
                node.spec().disks().size(),
                SizeText.age(node.metadata(), clock));
          }
          return table.orIfEmpty("No nodes yet.");
        },
        () -> json.listTree(Node.KIND, nodes.items(), nodes.resourceVersion()));
  }

  private static String readiness(List<Condition> conditions) {
    return Condition.find(conditions, Condition.READY)
        .map(condition -> condition.status().toString())
        .orElse("Unknown");
  }

  /** Returns why an object is not ready; empty if it is. */
  private static String reason(List<Condition> conditions) {
    return Condition.find(conditions, Condition.READY)
        .filter(condition -> condition.status() != Condition.Status.TRUE)
        .map(Condition::reason)
        .orElse("");
  }

  private static String ports(Map<String, Integer> ports) {
    return ports.entrySet().stream()
        .map(port -> port.getKey() + ":" + port.getValue())
        .sorted()
        .collect(Collectors.joining(","));
  }

  /** Shows all disks. */
  public Output disks(List<Disk> disks) {
    return new Output(
        () -> {
          Table table =
              new Table(
                  "NODE",
                  "DISK",
                  "READY",
                  "REASON",
                  "SCHEDULABLE",
                  "AVAILABLE",
                  "SIZE",
                  "REPLICAS",
                  "TYPE",
                  "PATH");
          Map<String, String> first = new HashMap<>();
          for (Disk disk : disks) {
            Optional<String> shown = sharer(disk, first);
            table.row(
                disk.node(),
                disk.id(),
                readiness(disk.status().conditions()),
                reason(disk.status().conditions()),
                disk.spec().allowScheduling(),
                shown.orElseGet(() -> SizeText.rounded(disk.status().storageAvailable())),
                shown.orElseGet(() -> SizeText.rounded(disk.status().storageMaximum())),
                disk.replicas().size(),
                disk.spec().type() + (disk.status().shared() ? " (shared)" : ""),
                disk.spec().path());
          }
          return table.orIfEmpty("No disks. Add one: holdfast disk add PATH") + deleted(disks);
        },
        () -> {
          ObjectNode list = object();
          ArrayNode items = list.putArray("items");
          disks.forEach(disk -> items.add(diskTree(disk)));
          return list;
        });
  }

  /** Returns the line with the space of deleted volumes; empty if none. */
  private static String deleted(List<Disk> disks) {
    String held =
        disks.stream()
            .filter(disk -> disk.deleted().bytes() > 0)
            .map(disk -> SizeText.rounded(disk.deleted()) + " on " + disk.node() + "/" + disk.id())
            .collect(Collectors.joining(", "));
    return held.isEmpty()
        ? ""
        : "\nDeleted volumes hold " + held + ": see 'holdfast volume list --deleted'";
  }

  /**
   * Returns the text for a disk on the same filesystem as an earlier disk of its node, whose line
   * shows the space.
   */
  private static Optional<String> sharer(Disk disk, Map<String, String> first) {
    return disk.status()
        .sharedFilesystem()
        .map(filesystem -> first.putIfAbsent(disk.node() + "/" + filesystem, disk.id()))
        .map(earlier -> "in " + earlier);
  }

  /** Shows that a disk was added. */
  public Output diskAdded(Disk disk) {
    return new Output(
        () ->
            "disk "
                + disk.id()
                + " of "
                + disk.node()
                + " added at "
                + disk.spec().path()
                + notMounted(disk),
        () -> diskTree(disk));
  }

  private static String notMounted(Disk disk) {
    String mountPoint = disk.status().mountPoint();
    return mountPoint.isEmpty() || mountPoint.equals(disk.spec().path())
        ? ""
        : "\nwarning: "
            + disk.spec().path()
            + " is not a mount point: its replicas share the filesystem of "
            + mountPoint
            + " with everything else there";
  }

  /** Shows that a disk was removed. */
  public Output diskRemoved(Disk disk) {
    return new Output(
        () ->
            "disk "
                + disk.id()
                + " of "
                + disk.node()
                + " removed; "
                + (disk.spec().type() == DiskType.DIRECTORY ? "its directory " : "the content of ")
                + disk.spec().path()
                + " is left as it is",
        () -> diskTree(disk));
  }

  private ObjectNode diskTree(Disk disk) {
    ObjectNode tree = object().put("node", disk.node()).put("id", disk.id());
    Node carrier = Node.of(disk.node(), NodeSpec.EMPTY);
    Map<String, DiskSpec> spec = Map.of(disk.id(), disk.spec());
    Map<String, DiskStatus> status = Map.of(disk.id(), disk.status());
    ObjectNode node =
        json.tree(
            carrier
                .withSpec(carrier.spec().withDisks(spec))
                .withStatus(carrier.status().withDiskStatus(status)));
    tree.set("spec", node.path("spec").path("disks").path(disk.id()));
    tree.set("status", node.path("status").path("diskStatus").path(disk.id()));
    ArrayNode replicas = tree.putArray("replicas");
    disk.replicas().forEach(replicas::add);
    tree.put("deletedVolumesSize", disk.deleted().toString());
    return tree;
  }

  /** Shows whether Holdfast runs here, and its nodes. */
  public Output status(StatusReport report) {
    return new Output(() -> statusText(report), () -> statusTree(report));
  }

  private static String statusText(StatusReport report) {
    String head =
        report.pid().isPresent()
            ? "Holdfast runs with pid " + report.pid().getAsLong()
            : "Holdfast does not run here";
    Table table = new Table("NODE", "READY", "PID", "ADDRESSES", "PORTS");
    for (StatusReport.NodeReport node : report.nodes()) {
      table.row(
          node.name(),
          node.ready(),
          node.pid().isPresent() ? Long.toString(node.pid().getAsLong()) : "",
          String.join(",", node.addresses()),
          ports(node.ports()));
    }
    return head + "\n" + table.orIfEmpty("No nodes yet.");
  }

  private ObjectNode statusTree(StatusReport report) {
    ObjectNode tree = object();
    putPid(tree, report.pid());
    ArrayNode nodes = tree.putArray("nodes");
    for (StatusReport.NodeReport node : report.nodes()) {
      ObjectNode item = nodes.addObject().put("name", node.name()).put("ready", node.ready());
      putPid(item, node.pid());
      ArrayNode addresses = item.putArray("addresses");
      node.addresses().forEach(addresses::add);
      ObjectNode ports = item.putObject("ports");
      node.ports().forEach(ports::put);
    }
    return tree;
  }

  private static void putPid(ObjectNode tree, OptionalLong pid) {
    if (pid.isPresent()) {
      tree.put("pid", pid.getAsLong());
    } else {
      tree.putNull("pid");
    }
  }

  private ObjectNode object() {
    return json.mapper().createObjectNode();
  }
}
