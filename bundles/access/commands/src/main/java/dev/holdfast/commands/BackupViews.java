package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.DamagedBlock;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.backupstore.StoredVolume;
import dev.holdfast.backupstore.VerifiedBackup;
import dev.holdfast.resource.Quantity;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Formats the content of a backup target for output. Names and texts of the target are untrusted.
 */
public final class BackupViews {
  private static final String UNREADABLE = "unreadable";
  private static final String IN_PROGRESS = "in progress";

  private final String target;

  /**
   * Shows one target.
   *
   * @param target address of the target from the user
   */
  public BackupViews(String target) {
    this.target = target;
  }

  /**
   * A volume of a target.
   *
   * @param volume description of the volume by the target
   * @param backups number of its backups, including incomplete ones
   */
  public record ListedVolume(StoredVolume volume, int backups) {}

  /**
   * The result of a verification for one backup.
   *
   * @param result of the verification; empty for a backup in progress
   */
  public record Verification(Optional<VerifiedBackup> result) {
    /** The backup is in progress, or its writer died, so it cannot be verified. */
    public static final Verification IN_PROGRESS = new Verification(Optional.empty());

    /** The backup was verified. */
    public static Verification of(VerifiedBackup result) {
      return new Verification(Optional.of(result));
    }
  }

  /** Shows the volumes of the target. */
  public Output volumes(List<BackupEntry<ListedVolume>> volumes) {
    return new Output(
        () -> {
          Table table =
              new Table("VOLUME", "SIZE", "BACKUPS", "LAST BACKUP", "ENGINE", "IMAGE", "CREATED");
          volumes.forEach(entry -> row(table, entry));
          return table.orIfEmpty(empty());
        },
        () -> items(volumes, BackupViews::describe));
  }

  private String empty() {
    return Table.printable(
        "No backups at " + target + ": a target is the folder that holds backupstore.");
  }

  private static void row(Table table, BackupEntry<ListedVolume> entry) {
    if (entry.content().isEmpty()) {
      table.row(entry.volume(), UNREADABLE, "", "", "", "", "");
      return;
    }
    StoredVolume volume = entry.content().get().volume();
    table.row(
        volume.name(),
        rounded(volume.sizeBytes()),
        entry.content().get().backups(),
        volume.lastBackup(),
        volume.dataEngine(),
        volume.backingImage(),
        volume.createdAt());
  }

  private static void describe(ListedVolume found, ObjectNode item) {
    StoredVolume volume = found.volume();
    item.put("sizeBytes", volume.sizeBytes())
        .put("backups", found.backups())
        .put("lastBackup", volume.lastBackup())
        .put("dataEngine", volume.dataEngine())
        .put("backingImage", volume.backingImage())
        .put("createdAt", volume.createdAt());
  }

  /** Shows the backups of the target, by volume and time. */
  public Output backups(List<BackupEntry<BackupSummary>> backups) {
    List<BackupEntry<BackupSummary>> sorted =
        backups.stream()
            .sorted(
                Comparator.comparing((BackupEntry<BackupSummary> entry) -> entry.volume())
                    .thenComparing(entry -> entry.content().map(BackupViews::time).orElse(""))
                    .thenComparing(BackupEntry::backup))
            .toList();
    return new Output(
        () -> {
          Table table =
              new Table("VOLUME", "BACKUP", "STATE", "SIZE", "SNAPSHOT", "TAKEN", "STORED AS");
          sorted.forEach(entry -> row(table, entry.content(), entry));
          return table.orIfEmpty(empty());
        },
        () -> items(sorted, BackupViews::describe));
  }

  private static String time(BackupSummary backup) {
    return backup.snapshotCreatedAt().isEmpty() ? "~" : backup.snapshotCreatedAt();
  }

  private static void row(
      Table table, Optional<BackupSummary> backup, BackupEntry<BackupSummary> entry) {
    if (backup.isEmpty()) {
      table.row(entry.volume(), entry.backup(), UNREADABLE, "", "", "", "");
      return;
    }
    BackupSummary found = backup.get();
    table.row(
        entry.volume(),
        entry.backup(),
        found.inProgress() ? IN_PROGRESS : "complete",
        rounded(found.sizeBytes()),
        found.snapshot(),
        found.snapshotCreatedAt(),
        found.compression().text() + " in " + rounded(found.blockSize()));
  }

  private static void describe(BackupSummary backup, ObjectNode item) {
    item.put("inProgress", backup.inProgress())
        .put("sizeBytes", backup.sizeBytes())
        .put("blockSizeBytes", backup.blockSize())
        .put("compression", backup.compression().text())
        .put("incremental", backup.incremental())
        .put("snapshot", backup.snapshot())
        .put("snapshotCreatedAt", backup.snapshotCreatedAt())
        .put("createdAt", backup.createdAt());
  }

  /** Shows the result of a verification, each damaged block with its offset. */
  public Output verified(List<BackupEntry<Verification>> backups) {
    return new Output(
        () -> {
          Table table = new Table("VOLUME", "BACKUP", "STATE", "BLOCKS", "CHECKED", "DAMAGED");
          backups.forEach(entry -> row(table, entry.content(), entry, state(entry)));
          StringBuilder text = new StringBuilder(table.orIfEmpty(empty()));
          backups.forEach(
              entry ->
                  result(entry)
                      .ifPresent(
                          found -> found.damaged().forEach(b -> text.append(line(found, b)))));
          return text.toString();
        },
        () -> items(backups, BackupViews::describe));
  }

  private static Optional<VerifiedBackup> result(BackupEntry<Verification> entry) {
    return entry.content().flatMap(Verification::result);
  }

  private static String line(VerifiedBackup backup, DamagedBlock block) {
    return "\n" + Table.printable("damaged: backup " + backup.backup() + ": " + block);
  }

  private static String state(BackupEntry<Verification> entry) {
    if (entry.content().isEmpty()) {
      return UNREADABLE;
    }
    return result(entry)
        .map(
            found -> {
              if (!found.damaged().isEmpty()) {
                return "damaged";
              }
              return found.intact() ? "intact" : "sample intact";
            })
        .orElse(IN_PROGRESS);
  }

  private static void row(
      Table table,
      Optional<Verification> verification,
      BackupEntry<Verification> entry,
      String state) {
    Optional<VerifiedBackup> found = verification.flatMap(Verification::result);
    table.row(
        entry.volume(),
        entry.backup(),
        state,
        found.map(backup -> Integer.toString(backup.blocks())).orElse(""),
        found.map(backup -> Integer.toString(backup.checked())).orElse(""),
        found.map(backup -> Integer.toString(backup.damaged().size())).orElse(""));
  }

  private static void describe(Verification verification, ObjectNode item) {
    item.put("inProgress", verification.result().isEmpty());
    verification
        .result()
        .ifPresent(
            found -> {
              item.put("blocks", found.blocks()).put("checked", found.checked());
              damaged(item, found.damaged());
            });
  }

  private static void damaged(ObjectNode item, List<DamagedBlock> blocks) {
    ArrayNode list = item.putArray("damaged");
    blocks.forEach(
        block ->
            list.addObject()
                .put("offset", block.offset())
                .put("length", block.length())
                .put("object", block.key())
                .put("reason", block.reason()));
  }

  /** Shows that a backup was written into a file. */
  public Output extracted(StoredBackup backup, Path file, List<DamagedBlock> damaged) {
    BackupName name = backup.summary().name();
    return new Output(
        () ->
            "backup "
                + name
                + " is in "
                + file
                + ": "
                + backup.volumeSizeBytes()
                + " bytes"
                + (damaged.isEmpty()
                    ? ""
                    : ", with zeroes instead of " + damaged.size() + " damaged blocks"),
        () -> {
          ObjectNode result =
              JsonNodeFactory.instance
                  .objectNode()
                  .put("volume", name.volume())
                  .put("backup", name.backup())
                  .put("file", file.toString())
                  .put("sizeBytes", backup.volumeSizeBytes());
          damaged(result, damaged);
          return result;
        });
  }

  private <T> ObjectNode items(List<BackupEntry<T>> entries, BiConsumer<T, ObjectNode> describe) {
    ObjectNode list = JsonNodeFactory.instance.objectNode().put("target", target);
    ArrayNode items = list.putArray("items");
    for (BackupEntry<T> entry : entries) {
      ObjectNode item = items.addObject().put("volume", entry.volume());
      if (!entry.backup().isEmpty()) {
        item.put("backup", entry.backup());
      }
      entry.content().ifPresent(content -> describe.accept(content, item));
      if (!entry.problem().isEmpty()) {
        item.put("problem", entry.problem());
      }
    }
    return list;
  }

  private static String rounded(long bytes) {
    return SizeText.rounded(new Quantity(bytes));
  }
}
