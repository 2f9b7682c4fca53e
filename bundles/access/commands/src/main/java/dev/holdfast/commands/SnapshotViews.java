package dev.holdfast.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.Snapshots;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.snapshot.ChangedRange;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.store.ResourceList;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Formats snapshots for output: a tree for users, resources as JSON for programs. */
public final class SnapshotViews {
  private final Clock clock;
  private final ResourceJson json = new ResourceJson();

  /** Shows ages by a clock. */
  public SnapshotViews(Clock clock) {
    this.clock = clock;
  }

  /**
   * The snapshots of a volume as a tree, what was made on top of one below it. Neither form shows
   * snapshots that the system made for its own work and has given up.
   */
  public Output tree(String volume, ResourceList<Snapshot> snapshots) {
    return new Output(
        () -> treeOf(volume, snapshots.items()),
        () ->
            json.listTree(
                Snapshot.KIND,
                SnapshotTree.withoutLeftovers(snapshots.items()),
                snapshots.resourceVersion()));
  }

  private String treeOf(String volume, List<Snapshot> snapshots) {
    Table table = new Table("SNAPSHOT", "SIZE", "BY", "AGE", "STATE");
    SnapshotTree tree = new SnapshotTree(snapshots);
    tree.roots().forEach(root -> branch(table, tree, root, 0));
    return table.orIfEmpty(
        "No snapshots. Take one: holdfast snapshot create " + volume + " [NAME]");
  }

  private void branch(Table table, SnapshotTree tree, Snapshot snapshot, int depth) {
    row(table, snapshot, depth);
    tree.above(snapshot).forEach(child -> branch(table, tree, child, depth + 1));
    if (tree.isBelowLiveContent(snapshot)) {
      table.row("  ".repeat(depth + 1) + "(live content)", "", "", "", "");
    }
  }

  private void row(Table table, Snapshot snapshot, int depth) {
    SnapshotStatus status = snapshot.status();
    boolean taken = status.creationTime().isPresent();
    table.row(
        "  ".repeat(depth) + snapshot.nameInVolume(),
        taken ? SizeText.rounded(status.size()) : "",
        taken ? (status.userCreated() ? "user" : "system") : "",
        status
            .creationTime()
            .map(at -> SizeText.shortened(Duration.between(at, clock.instant())))
            .orElse(""),
        state(snapshot));
  }

  static String state(Snapshot snapshot) {
    SnapshotStatus status = snapshot.status();
    if (!status.error().isEmpty()) {
      return "error: " + status.error();
    }
    if (snapshot.hasKeptData()) {
      return "removed, " + whenDeleted(status);
    }
    if (status.markRemoved() || snapshot.isBeingDeleted()) {
      return "being removed";
    }
    if (status.readyToUse()) {
      return "ready";
    }
    return status.message().isEmpty() ? "pending" : "pending: " + status.message();
  }

  /** Returns when retained data will be deleted. */
  private static String whenDeleted(SnapshotStatus status) {
    if (status.children().contains(SnapshotStatus.HEAD)) {
      return "deleted with the next snapshot";
    }
    return status.dataShared()
        ? "deleted after the volume that shares it"
        : "deleted after all but one of the snapshots above it";
  }

  /** Shows that a snapshot was taken, or will be. */
  public Output created(Snapshot snapshot) {
    return new Output(
        () ->
            Snapshots.label(snapshot)
                + (snapshot.status().readyToUse() ? " taken" : " is asked for"),
        () -> json.tree(snapshot));
  }

  /** Shows that a snapshot was deleted. */
  public Output deleted(String volume, String name, Optional<Snapshot> remaining) {
    String label = "snapshot " + name + " of volume " + volume;
    return new Output(
        () ->
            remaining
                .map(
                    s ->
                        s.hasKeptData()
                            ? label + " is removed; its data is " + whenDeleted(s.status())
                            : label + " is being removed")
                .orElse(label + " deleted"),
        () ->
            remaining
                .<JsonNode>map(json::tree)
                .orElseGet(
                    () -> object().put("volume", volume).put("name", name).put("deleted", true)));
  }

  /** Shows that a volume was reverted to a snapshot. */
  public Output reverted(Snapshot snapshot) {
    return new Output(
        () ->
            snapshot.status().revert().finishedAt().isPresent()
                ? "volume "
                    + snapshot.spec().volume()
                    + " has the content of snapshot "
                    + snapshot.nameInVolume()
                    + "; "
                    + snapshot.status().revert().result()
                : Snapshots.label(snapshot) + " is asked for as the content",
        () -> json.tree(snapshot));
  }

  /** Shows the removal of the system's snapshots. */
  public Output purged(String volume, List<String> names) {
    return new Output(
        () ->
            names.isEmpty()
                ? "volume " + volume + " has no snapshots of the system"
                : "volume " + volume + ": removed " + String.join(", ", names),
        () -> {
          ObjectNode object = object().put("volume", volume);
          names.forEach(object.putArray("removed")::add);
          return object;
        });
  }

  /** Shows the differences of two snapshots. */
  public Output differing(
      String volume, Optional<String> from, String to, List<ChangedRange> ranges) {
    long bytes = ranges.stream().mapToLong(ChangedRange::length).sum();
    return new Output(
        () -> {
          Table table = new Table("OFFSET", "LENGTH");
          ranges.forEach(r -> table.row(Long.toString(r.offset()), Long.toString(r.length())));
          return table.orIfEmpty("nothing differs");
        },
        () -> {
          ObjectNode object = object().put("volume", volume);
          from.ifPresent(name -> object.put("from", name));
          object.put("to", to).put("bytes", bytes);
          ArrayNode list = object.putArray("ranges");
          ranges.forEach(r -> list.addObject().put("offset", r.offset()).put("length", r.length()));
          return object;
        });
  }

  /** Shows the result of comparing snapshots with their checksums. */
  public Output scrubbed(String volume, List<Snapshot> snapshots) {
    return new Output(
        () -> {
          Table table = new Table("SNAPSHOT", "RESULT", "CHECKSUM");
          for (Snapshot snapshot : snapshots) {
            table.row(snapshot.nameInVolume(), scrubOf(snapshot), snapshot.status().checksum());
          }
          return table.orIfEmpty("volume " + volume + " has no snapshots to compare");
        },
        () -> json.listTree(Snapshot.KIND, snapshots, ""));
  }

  private static String scrubOf(Snapshot snapshot) {
    RequestOutcome outcome = snapshot.status().scrub();
    if (outcome.isPending(snapshot.spec().scrubRequest())) {
      return snapshot.status().scrubStatus().progress() + " %";
    }
    return outcome.error().isEmpty() ? outcome.result() : outcome.error();
  }

  private ObjectNode object() {
    return json.mapper().createObjectNode();
  }
}
