package dev.holdfast.backup.internal.system;

import dev.holdfast.backup.internal.InstalledTargets;
import dev.holdfast.backup.internal.TargetAccess;
import dev.holdfast.backupstore.system.SystemArchive;
import dev.holdfast.backupstore.system.SystemArchives;
import dev.holdfast.backupstore.system.SystemBackupFile;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.RestoredKind;
import dev.holdfast.resource.backup.SystemRestore;
import dev.holdfast.resource.json.ResourceJson;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One attempt to restore all items of a system backup. An item that fails does not stop the others.
 * After a transient failure the whole attempt fails, but only after all items were tried.
 */
final class SystemRestoreRun {
  private static final int MOST_FAILURES = 20;

  /** Number of the attempt in which transient failures count as permanent. */
  private static final int LAST_ATTEMPT = 5;

  private final SystemRestore restore;
  private final RestoringCluster cluster;
  private final ItemRestore.Factory restorer;
  private final ResourceJson json = new ResourceJson();
  private final TreeMap<String, RestoredKind> counts = new TreeMap<>(SavedKinds.BY_ORDER);
  private final List<String> failures = new ArrayList<>();

  /**
   * Outcome of an attempt.
   *
   * @param refused whether this node may not write an item, so that another node restores
   * @param kinds outcome for each kind
   * @param failures items that failed and the cause, at most 20
   */
  record Outcome(boolean refused, List<RestoredKind> kinds, List<String> failures) {}

  SystemRestoreRun(SystemRestore restore, RestoringCluster cluster, ItemRestore.Factory restorer) {
    this.restore = restore;
    this.cluster = cluster;
    this.restorer = restorer;
  }

  /**
   * Reads the archive and tries each item.
   *
   * @throws StorageException of the target; NOT_FOUND if it does not have the system backup; a
   *     failure of the store, if a repetition may succeed
   */
  Outcome run(InstalledTargets targets) throws StorageException {
    BackupTarget target =
        cluster
            .store()
            .get(BackupTarget.KIND, restore.spec().backupTargetName())
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND,
                        "backup target "
                            + restore.spec().backupTargetName()
                            + " does not exist: add it with 'holdfast backup add-target URL'"));
    try (ObjectStore objects = targets.open(TargetAccess.of(target))) {
      SystemArchives backups = new SystemArchives(objects);
      SystemBackupFile file =
          backups
              .find(restore.spec().systemBackup())
              .orElseThrow(
                  () ->
                      new StorageException(
                          ErrorCode.INVALID,
                          "backup target "
                              + target.name()
                              + " has no system backup "
                              + restore.spec().systemBackup()
                              + ": see 'holdfast system-backup list'"));
      Map<String, String> items = SystemArchive.unpack(backups.archive(file));
      return tryAll(items, restorer.of(restore, file, target, cluster));
    }
  }

  private Outcome tryAll(Map<String, String> items, ItemRestore restorer) throws StorageException {
    List<StorageException> passing = new ArrayList<>();
    for (Map.Entry<String, String> item : ordered(items)) {
      try {
        count(restorer.restore(item.getKey(), item.getValue()));
      } catch (StorageException e) {
        if (e.code() == ErrorCode.FORBIDDEN) {
          return new Outcome(true, List.of(), List.of(String.valueOf(e.getMessage())));
        }
        passing.add(e);
        count(
            ItemOutcome.failed(
                kindOf(item.getValue()), item.getKey(), String.valueOf(e.getMessage())));
      }
    }
    if (!passing.isEmpty() && restore.status().attempts() + 1 < LAST_ATTEMPT) {
      throw passing.get(0);
    }
    return new Outcome(
        false, List.copyOf(counts.values()), failures.stream().limit(MOST_FAILURES).toList());
  }

  private List<Map.Entry<String, String>> ordered(Map<String, String> items) {
    return items.entrySet().stream()
        .sorted(
            Comparator.comparing(
                (Map.Entry<String, String> item) -> kindOf(item.getValue()), SavedKinds.BY_ORDER))
        .toList();
  }

  private String kindOf(String text) {
    try {
      return json.parse(text).path("kind").asText();
    } catch (StorageException e) {
      return "";
    }
  }

  private void count(ItemOutcome outcome) {
    counts.merge(
        outcome.kind(),
        outcome.addedTo(RestoredKind.EMPTY.withKind(outcome.kind())),
        (counted, first) -> outcome.addedTo(counted));
    if (!outcome.why().isEmpty()) {
      failures.add(outcome.why());
    }
  }
}
