package dev.holdfast.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.Detached;
import dev.holdfast.mounts.DiskImage;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeDeletion;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeQos;
import dev.holdfast.resource.volume.VolumeReplica;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.ResourceList;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Formats volumes for output: tables and sentences for users, resources as JSON for programs. */
public final class VolumeViews {
  private final Clock clock;
  private final ResourceJson json = new ResourceJson();

  /** Shows ages by a clock. */
  public VolumeViews(Clock clock) {
    this.clock = clock;
  }

  /** Shows all volumes. */
  public Output volumes(ResourceList<Volume> volumes) {
    return new Output(
        () -> volumeTable(volumes.items()),
        () -> json.listTree(Volume.KIND, volumes.items(), volumes.resourceVersion()));
  }

  private String volumeTable(List<Volume> volumes) {
    Table table =
        new Table("NAME", "SIZE", "STATE", "ROBUSTNESS", "NODE", "REPLICAS", "ENGINE", "AGE");
    for (Volume volume : volumes) {
      table.row(
          volume.name(),
          volume.spec().size(),
          volume.isBeingDeleted() ? "deleting" : volume.status().state(),
          volume.status().robustness(),
          volume.status().currentNodeID(),
          volume.spec().numberOfReplicas(),
          volume.spec().dataEngine(),
          SizeText.age(volume.metadata(), clock));
    }
    return table.orIfEmpty("No volumes. Make one: holdfast volume create NAME --size 1Gi");
  }

  /** Shows all details of a volume. */
  public Output volume(Volume volume) {
    return new Output(() -> description(volume), () -> json.tree(volume));
  }

  private String description(Volume volume) {
    StringBuilder text = new StringBuilder();
    field(text, "Name", volume.name());
    field(text, "Size", volume.spec().size());
    field(text, "State", volume.isBeingDeleted() ? "deleting" : volume.status().state());
    deletion(volume).ifPresent(when -> field(text, "Deletion", when));
    field(text, "Robustness", volume.status().robustness());
    if (volume.spec().cloneSource().isPresent()) {
      field(text, "Copy", copy(volume));
    }
    if (volume.isStandby()) {
      field(text, "Follows", standby(volume));
    }
    field(text, "Node", volume.status().currentNodeID());
    field(text, "Endpoint", volume.status().endpoint());
    field(text, "Engine", volume.spec().dataEngine());
    field(text, "Frontend", volume.spec().frontend());
    String unfinished = volume.metadata().annotations().get(Volume.IMPORT_UNFINISHED_ANNOTATION);
    if (unfinished != null) {
      field(text, "Import", "not finished: import " + unfinished + " again");
    }
    if (!limits(volume.spec().qos()).isEmpty()) {
      field(text, "Limits", limits(volume.spec().qos()));
    }
    field(text, "On each disk", volume.status().actualSize());
    field(text, "Age", SizeText.age(volume.metadata(), clock));
    for (Condition condition : volume.status().conditions()) {
      String reason = condition.message().isEmpty() ? condition.reason() : condition.message();
      field(
          text,
          condition.type(),
          condition.status() + (reason.isEmpty() ? "" : " (" + reason + ")"));
    }
    Table replicas = new Table("REPLICA", "NODE", "DISK", "MODE");
    for (VolumeReplica replica : volume.status().replicas()) {
      boolean shared = !replica.diskUUID().isEmpty();
      replicas.row(
          replica.name(),
          shared ? "shared" : replica.nodeID(),
          shared ? replica.diskUUID() : replica.diskID(),
          replica.mode());
    }
    return text.append('\n').append(replicas.orIfEmpty("No replicas yet.")).toString();
  }

  private static Optional<String> deletion(Volume volume) {
    if (volume.isBeingDeleted()) {
      return Optional.of("as soon as it is detached; cannot be taken back")
          .filter(text -> VolumeDeletion.isAttached(volume));
    }
    return Optional.of("once it is detached; " + withdrawal(volume))
        .filter(text -> volume.spec().deleteWhenDetached());
  }

  private static String withdrawal(Volume volume) {
    return "'holdfast volume delete --cancel " + volume.name() + "' takes that back";
  }

  private static String copy(Volume volume) {
    CloneSource from = volume.spec().cloneSource().orElseThrow();
    CloneStatus status = volume.status().cloneStatus();
    String snapshot = from.snapshot().isEmpty() ? "" : "@" + from.snapshot();
    String message = status.message().isEmpty() ? "" : " (" + status.message() + ")";
    String linked = status.method() == CloneMethod.LINK ? ", linked" : "";
    return "of " + from.volume() + snapshot + ": " + status.state() + linked + message;
  }

  private static String standby(Volume volume) {
    StandbyStatus status = volume.status().standby();
    String applied =
        volume.awaitsContent()
            ? ", "
                + volume.status().restore().backup()
                + " is applied to "
                + volume.status().restore().progress()
                + " %"
            : "";
    String message = status.message().isEmpty() ? "" : " (" + status.message() + ")";
    String content =
        status.lastRestored().isEmpty()
            ? "no backup yet"
            : "backup " + status.lastRestored() + ", " + status.behindSeconds() + " s behind";
    return content + applied + message;
  }

  /** Shows that a standby volume was activated, or will be. */
  public Output activated(Volume volume) {
    return new Output(
        () ->
            volume.isStandby()
                ? "volume " + volume.name() + " is being activated"
                : "volume "
                    + volume.name()
                    + " has the content of backup "
                    + volume.status().standby().lastRestored()
                    + " and can be attached",
        () -> json.tree(volume));
  }

  private static void field(StringBuilder text, String name, Object value) {
    String shown = Table.printable(String.valueOf(value));
    text.append(String.format("%-14s", name + ":"))
        .append(shown.isEmpty() ? "-" : shown)
        .append('\n');
  }

  /**
   * Shows that a volume was created.
   *
   * @param typed the size as text of the user; empty when it was not given
   */
  public Output created(Volume volume, String typed) {
    return new Output(
        () ->
            "volume "
                + volume.name()
                + " created: "
                + SizeText.typed(typed, volume.spec().size())
                + " in "
                + counted(volume.spec().numberOfReplicas(), "replica"),
        () -> json.tree(volume));
  }

  /** Returns the message about a volume whose replicas could not be placed. */
  public static String unplaced(Volume volume, String why) {
    return "volume " + volume.name() + " cannot be used yet: " + why;
  }

  /**
   * Shows that a volume was or will be expanded.
   *
   * @param typed the size as text of the user
   */
  public Output expanded(Volume volume, String typed) {
    String size = SizeText.typed(typed, volume.spec().size());
    return new Output(
        () ->
            "volume "
                + volume.name()
                + (volume.status().state() == VolumeState.ATTACHED
                    ? " has a size of " + size
                    : " grows to " + size + " as soon as it is attached"),
        () -> json.tree(volume));
  }

  /** Shows the node that was selected to use the disk of a volume; empty for any. */
  public Output optimized(Volume volume, String node) {
    String what =
        node.isEmpty()
            ? " is used where its engine decides"
            : volume.status().state() == VolumeState.ATTACHED
                ? ": node " + node + " uses its disk"
                : ": node " + node + " will use its disk when it is attached";
    return new Output(() -> "volume " + volume.name() + what, () -> json.tree(volume));
  }

  /** Shows the changed limits of a volume. */
  public Output limited(Volume volume) {
    VolumeQos qos = volume.spec().qos();
    return new Output(
        () ->
            "volume " + volume.name() + ": " + (limits(qos).isEmpty() ? "no limits" : limits(qos)),
        () -> json.tree(volume));
  }

  private static String limits(VolumeQos qos) {
    List<String> parts = new ArrayList<>();
    count(parts, qos.iops(), "requests/s");
    amount(parts, qos.bandwidth(), "/s");
    count(parts, qos.readIops(), "reads/s");
    amount(parts, qos.readBandwidth(), "/s read");
    count(parts, qos.writeIops(), "writes/s");
    amount(parts, qos.writeBandwidth(), "/s written");
    return parts.isEmpty()
        ? ""
        : "at most " + String.join(", ", parts) + ", bursts of " + qos.burstSeconds() + " s";
  }

  private static void count(List<String> parts, long limit, String unit) {
    if (limit > 0) {
      parts.add(limit + " " + unit);
    }
  }

  private static void amount(List<String> parts, Quantity limit, String unit) {
    if (limit.bytes() > 0) {
      parts.add(limit + unit);
    }
  }

  /** Shows that a volume has the content of an image, or of a replica's directory. */
  public Output imported(Volume volume, Path source) {
    return new Output(
        () ->
            "volume "
                + volume.name()
                + " has the content of "
                + source
                + ": "
                + volume.spec().size(),
        () -> json.tree(volume));
  }

  /** Shows that a volume was written into a file. */
  public Output exported(String name, DiskImage image) {
    return new Output(
        () ->
            "volume "
                + name
                + " written to "
                + image.file()
                + ": "
                + SizeText.rounded(new Quantity(image.sizeBytes())),
        () ->
            object()
                .put("name", name)
                .put("file", image.file().toString())
                .put("format", image.format().toString())
                .put("sizeBytes", image.sizeBytes()));
  }

  /** Shows that a volume was deleted, or will be. */
  public Output deleted(String name, Optional<Volume> remaining) {
    return new Output(
        () ->
            remaining
                .map(volume -> "volume " + name + " is being deleted" + whenDetached(volume))
                .orElse("volume " + name + " deleted"),
        () ->
            remaining
                .<JsonNode>map(json::tree)
                .orElseGet(() -> object().put("name", name).put("deleted", true)));
  }

  private static String whenDetached(Volume volume) {
    String node = volume.status().currentNodeID();
    return node.isEmpty()
        ? ""
        : ": it is attached to " + node + " and is deleted once it is detached";
  }

  /** Shows that a volume will be deleted after its detachment. */
  public Output deletedWhenDetached(Volume volume) {
    return new Output(
        () ->
            "volume "
                + volume.name()
                + (VolumeDeletion.isAttached(volume)
                    ? " is attached" + onNode(volume) + " and"
                    : "")
                + " is deleted with its data once it is detached; "
                + withdrawal(volume),
        () -> json.tree(volume));
  }

  private static String onNode(Volume volume) {
    String node = volume.status().currentNodeID();
    return node.isEmpty() ? "" : " to " + node;
  }

  /** Shows that a deletion was cancelled. */
  public Output deletionCancelled(Volume volume) {
    return new Output(() -> "volume " + volume.name() + " is not deleted", () -> json.tree(volume));
  }

  /** Shows that a volume was attached, or will be. */
  public Output attached(Volume volume) {
    return new Output(
        () ->
            volume.status().currentNodeID().isEmpty()
                ? "volume " + volume.name() + " is asked to attach"
                : "volume "
                    + volume.name()
                    + " is attached to "
                    + volume.status().currentNodeID()
                    + at(volume.status().endpoint()),
        () -> json.tree(volume));
  }

  private static String at(String endpoint) {
    return endpoint.isEmpty() ? "" : " at " + endpoint;
  }

  /** Shows that a volume was detached, or that other tickets hold it. */
  public Output detached(Detached result) {
    return new Output(
        () -> {
          String name = result.volume().name();
          if (result.node().isEmpty()) {
            return "volume " + name + " is detached";
          }
          return result.holders().isEmpty()
              ? "volume "
                  + name
                  + " is being detached from "
                  + result.node()
                  + ", and may be attached elsewhere"
              : "volume "
                  + name
                  + " stays attached to "
                  + result.node()
                  + ": held by "
                  + (result.holders().size() == 1 ? "ticket " : "tickets ")
                  + String.join(", ", result.holders())
                  + ": 'holdfast volume why "
                  + name
                  + "' shows whose; 'holdfast ticket delete "
                  + name
                  + " TICKET' deletes one whose attacher is uninstalled";
        },
        () -> json.tree(result.volume()));
  }

  /** Shows that a ticket was deleted. */
  public Output ticketDeleted(String volume, AttachmentTicket ticket) {
    return new Output(
        () -> "ticket " + ticket.id() + " (" + ticket.type() + ") of volume " + volume + " deleted",
        () -> json.mapper().createObjectNode().put("volume", volume).put("ticket", ticket.id()));
  }

  /** Shows that the content of replicas was declared valid. */
  public Output salvaging(Volume volume) {
    return new Output(
        () ->
            "volume "
                + volume.name()
                + ": the content of "
                + String.join(", ", volume.spec().salvage().replicas())
                + " counts when it is opened next; see 'holdfast volume get "
                + volume.name()
                + "'",
        () -> json.tree(volume));
  }

  /** Shows only the URI. */
  public Output endpoint(String name, String uri) {
    return new Output(() -> uri, () -> object().put("name", name).put("endpoint", uri));
  }

  private ObjectNode object() {
    return json.mapper().createObjectNode();
  }

  private static String counted(int count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }
}
