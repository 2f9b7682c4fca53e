package dev.holdfast.commands;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceList;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Formats deleted volumes for output: tables and sentences for people, resources as JSON. */
public final class DeletedVolumeViews {
  private final ResourceJson json = new ResourceJson();

  /** Shows deleted volumes. */
  public DeletedVolumeViews() {}

  /** Shows all deleted volumes that are kept. */
  public Output deletedVolumes(ResourceList<DeletedVolume> deleted) {
    return new Output(
        () -> table(deleted.items()),
        () -> json.listTree(DeletedVolume.KIND, deleted.items(), deleted.resourceVersion()));
  }

  private static String table(List<DeletedVolume> all) {
    Table table =
        new Table("NAME", "SIZE", "ON EACH DISK", "ENGINE", "STATE", "DELETED", "KEPT UNTIL");
    for (DeletedVolume deleted : all) {
      table.row(
          deleted.name(),
          deleted.spec().volumeSpec().size(),
          deleted.spec().actualSize(),
          deleted.spec().volumeSpec().dataEngine(),
          deleted.status().state(),
          time(deleted.spec().deletedAt()),
          time(deleted.spec().purgeAt()));
    }
    return table.orIfEmpty("No deleted volumes.");
  }

  /** Shows that a volume was deleted and its content is kept. */
  public Output kept(DeletedVolume deleted) {
    return new Output(
        () ->
            "volume "
                + deleted.name()
                + " deleted; its content is kept until "
                + deleted.spec().purgeAt().map(Object::toString).orElse("it is purged")
                + ": 'holdfast volume undelete "
                + deleted.name()
                + "' takes that back, 'holdfast volume purge "
                + deleted.name()
                + "' frees the space",
        () -> json.tree(deleted));
  }

  /** Shows why a deleted volume does not exist, and the command that undeletes it. */
  public Output explanation(DeletedVolume deleted) {
    return new Output(
        () -> sentences(deleted),
        () ->
            json.mapper()
                .createObjectNode()
                .put("name", deleted.name())
                .put("explanation", sentences(deleted))
                .put("state", "deleted")
                .put("deletedVolumeState", deleted.status().state().toString())
                .put("deletedAt", time(deleted.spec().deletedAt()))
                .put("purgeAt", time(deleted.spec().purgeAt())));
  }

  private static String sentences(DeletedVolume deleted) {
    String name = deleted.name();
    String message = deleted.status().message();
    String start = "Volume " + name + " was deleted at " + time(deleted.spec().deletedAt());
    return Table.printable(
        (deleted.isBeingDeleted()
                ? start + ". Its content is being removed."
                : switch (deleted.status().state()) {
                  case PENDING, KEPT -> start + keptUntil(deleted) + remedies(deleted);
                  case RESTORING -> start + ", and is being made again with its content.";
                  case PURGING -> start + ". Its content is being removed.";
                })
            + (message.isEmpty() ? "" : " It waits: " + message + "."));
  }

  private static String keptUntil(DeletedVolume deleted) {
    return ". Its content, "
        + SizeText.rounded(deleted.spec().actualSize())
        + " on each disk, is kept until "
        + time(deleted.spec().purgeAt())
        + ".";
  }

  private static String remedies(DeletedVolume deleted) {
    String name = deleted.name();
    return deleted.spec().undelete()
        ? " It is asked to exist again."
        : " Take the deletion back: holdfast volume undelete "
            + name
            + ". Free the space: holdfast volume purge "
            + name
            + " --confirm "
            + name;
  }

  private static String time(Optional<Instant> time) {
    return time.map(Object::toString).orElse("");
  }

  /** Shows that a volume was or will be undeleted. */
  public Output undeleted(String name, Optional<Volume> volume) {
    return new Output(
        () ->
            volume.isPresent()
                ? "volume " + name + " exists again"
                : "volume " + name + " is asked to exist again",
        () ->
            volume
                .<JsonNode>map(json::tree)
                .orElseGet(
                    () ->
                        json.mapper().createObjectNode().put("name", name).put("undelete", true)));
  }

  /** Shows that a deleted volume was purged, or will be. */
  public Output purged(String name, Optional<DeletedVolume> remaining) {
    return new Output(
        () ->
            remaining.isPresent()
                ? "deleted volume " + name + " is being purged"
                : "deleted volume " + name + " purged",
        () ->
            remaining
                .<JsonNode>map(json::tree)
                .orElseGet(
                    () -> json.mapper().createObjectNode().put("name", name).put("purged", true)));
  }
}
