package dev.holdfast.backup.internal;

import dev.holdfast.backup.internal.objects.ObjectDamage;
import dev.holdfast.backupstore.BackupCatalog;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.StoredVolume;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads the descriptions of the backups of volumes. A description whose tag is unchanged since the
 * last scan is not read again. Thread-safe for different volumes. A test plants defects here.
 */
class VolumeScanner {
  private final Map<String, Map<BackupName, Read>> lastScans = new ConcurrentHashMap<>();

  /** A description with the tag of its object. */
  private record Read(String tag, BackupSummary summary) {}

  /** Removes the cached descriptions of a BackupVolume resource. */
  void forget(String resource) {
    lastScans.remove(resource);
  }

  /**
   * Scans a volume.
   *
   * @throws StorageException if the target fails; the scan then has no result
   */
  ScannedVolume scan(ObjectStore store, ScannedVolume.Order order) throws StorageException {
    String volume = order.volumeName();
    LaidOutBackups all = new LaidOutBackups(store);
    BackupCatalog backups = all.of(volume);
    Map<BackupName, StoredObject> listed = backups.configs(volume);
    Set<String> vanished = new TreeSet<>();
    for (Map.Entry<String, Optional<Instant>> expected : order.expected().entrySet()) {
      BackupName backup = new BackupName(volume, expected.getKey());
      // A list may lack an existing object, and a volume may have lost the object of its layout.
      if (!listed.containsKey(backup) && !all.mayHaveBackup(backup, expected.getValue())) {
        vanished.add(expected.getKey());
      }
    }
    if (!backups.hasVolume(volume)) {
      boolean present = !listed.isEmpty();
      List<String> problems =
          present ? List.of("volume " + volume + ": has backups, and no volume.cfg") : List.of();
      return new ScannedVolume(order, present, Optional.empty(), List.of(), vanished, problems);
    }
    List<String> problems = new ArrayList<>();
    List<BackupSummary> found = new ArrayList<>();
    Optional<StoredVolume> description = description(backups, volume, problems);
    if (description.isPresent()) {
      found = read(backups, description.get(), order.volume().name(), listed, problems);
    }
    return new ScannedVolume(order, true, description, found, vanished, problems);
  }

  private static Optional<StoredVolume> description(
      BackupCatalog backups, String volume, List<String> problems) throws StorageException {
    try {
      return Optional.of(backups.volume(volume));
    } catch (StorageException e) {
      ObjectDamage.require(e);
      problems.add(String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private List<BackupSummary> read(
      BackupCatalog backups,
      StoredVolume volume,
      String resource,
      Map<BackupName, StoredObject> listed,
      List<String> problems)
      throws StorageException {
    Map<BackupName, Read> last = lastScans.getOrDefault(resource, Map.of());
    Map<BackupName, Read> next = new HashMap<>();
    List<BackupSummary> complete = new ArrayList<>();
    for (Map.Entry<BackupName, StoredObject> config : listed.entrySet()) {
      Read read = last.get(config.getKey());
      if (read == null || !read.tag().equals(config.getValue().tag())) {
        try {
          BackupSummary summary = backups.summary(volume, config.getKey(), config.getValue());
          read = new Read(config.getValue().tag(), summary);
        } catch (StorageException e) {
          ObjectDamage.require(e);
          problems.add(String.valueOf(e.getMessage()));
          continue;
        }
      }
      next.put(config.getKey(), read);
      if (!read.summary().inProgress()) {
        complete.add(read.summary());
      }
    }
    lastScans.put(resource, next);
    return complete;
  }
}
