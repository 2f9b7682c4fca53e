package dev.holdfast.commands;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.mounts.MountRecord;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Formats mounts for output. */
public final class MountViews {
  private final JsonMapper mapper = JsonMapper.builder().build();

  /** Shows that a volume was mounted. */
  public Output mounted(MountRecord mounted) {
    return new Output(
        () ->
            what(mounted)
                + " is mounted on "
                + mounted.directory()
                + " ("
                + mounted.filesystem()
                + " on "
                + mounted.device()
                + ")"
                + (mounted.persistent() ? ", also after a reboot" : ""),
        () -> mapper.valueToTree(mounted));
  }

  private static String what(MountRecord mounted) {
    return mounted.isOfBackup()
        ? "backup " + mounted.backup() + " (read-only)"
        : "volume " + mounted.volume();
  }

  /** Shows that a volume was unmounted. */
  public Output unmounted(MountRecord mounted) {
    return new Output(
        () -> what(mounted) + " is no longer mounted on " + mounted.directory(),
        () -> mapper.valueToTree(mounted));
  }

  /** Shows all mounts of this host. */
  public Output mounts(List<MountRecord> mounts) {
    return new Output(
        () -> {
          Table table = new Table("VOLUME", "DIRECTORY", "FILESYSTEM", "DEVICE", "PERSISTENT");
          mounts.forEach(
              m ->
                  table.row(
                      m.isOfBackup() ? "backup " + m.backup() : m.volume(),
                      m.directory(),
                      m.filesystem(),
                      m.device(),
                      m.persistent()));
          return table.orIfEmpty("No volume is mounted. Try: holdfast mount NAME DIRECTORY");
        },
        () -> tree(mounts));
  }

  /** Shows the volumes that were mounted again. */
  public Output restored(List<MountRecord> mounts) {
    return new Output(
        () -> lines(mounts, "No persistent mount to restore.", this::mounted), () -> tree(mounts));
  }

  /** Shows the volumes that were unmounted temporarily. */
  public Output suspended(List<MountRecord> mounts) {
    return new Output(
        () -> lines(mounts, "No persistent mounts.", this::unmounted), () -> tree(mounts));
  }

  private static String lines(
      List<MountRecord> mounts, String ifNone, Function<MountRecord, Output> sentence) {
    return mounts.isEmpty()
        ? ifNone
        : mounts.stream()
            .map(mounted -> sentence.apply(mounted).as(Output.Format.TEXT))
            .collect(Collectors.joining("\n"));
  }

  private ObjectNode tree(List<MountRecord> mounts) {
    ObjectNode list = mapper.createObjectNode();
    ArrayNode items = list.putArray("items");
    mounts.forEach(mounted -> items.add(mapper.<ObjectNode>valueToTree(mounted)));
    return list;
  }
}
