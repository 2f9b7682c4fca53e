package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.LockTiming;
import dev.holdfast.backupstore.RemovedBackup;
import dev.holdfast.backupstore.VolumeLock;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Deletes backups in the packed layout, and the packs and maps that no other backup needs. The lock
 * excludes writers and readers, whose leases end by the clock of the target. An unneeded object
 * waits in the trash, and is deleted by a later call after the grace time. Thread-safe.
 */
public final class PackedRemoval {
  private static final int BATCH = 1_000;

  private final ObjectStore store;
  private final LockTiming timing;
  private final PackedBackups backups;

  /** Creates a removal whose locks have a time; the caller closes the store. */
  public PackedRemoval(ObjectStore store, LockTiming timing) {
    this.store = store;
    this.timing = timing;
    this.backups = new PackedBackups(store);
  }

  /**
   * Deletes a backup. Succeeds also for one that is gone, whose packs may have stayed.
   *
   * @throws StorageException BUSY while a backup or a restore of the volume is in progress; what
   *     the target throws: delete it again
   */
  public RemovedBackup remove(BackupName name) throws StorageException {
    BackupName.check("backup", name.backup());
    try (VolumeLock lock =
        VolumeLock.acquire(store, name.volume(), VolumeLock.Type.DELETE, timing)) {
      return remove(name, lock);
    }
  }

  /**
   * Deletes the trash of a volume whose grace time has ended, and that no backup needs.
   *
   * @throws StorageException as {@link #remove}
   */
  public RemovedBackup collect(String volume) throws StorageException {
    try (VolumeLock lock = VolumeLock.acquire(store, volume, VolumeLock.Type.DELETE, timing)) {
      return collect(backups.format(volume), manifests(volume), lock);
    }
  }

  /** Collects the trash after a write if some of it is due. A failure concerns later calls only. */
  void collectDue(String volume, Instant now) {
    try {
      if (PackedTrash.isDue(store, volume, now)) {
        var unused = collect(volume);
      }
    } catch (StorageException e) {
      // The next backup or deletion tries it again, as after a busy lock.
    }
  }

  private RemovedBackup remove(BackupName name, VolumeLock lock) throws StorageException {
    PackedFormat format = backups.format(name.volume());
    Map<String, BackupName> before = manifests(name.volume());
    List<String> removed =
        before.entrySet().stream()
            .filter(entry -> entry.getValue().equals(name))
            .map(Map.Entry::getKey)
            .toList();
    store.delete(removed);
    removed.forEach(before::remove);
    return collect(format, before, lock);
  }

  private RemovedBackup collect(
      PackedFormat format, Map<String, BackupName> before, VolumeLock lock)
      throws StorageException {
    String volume = format.volume();
    if (!manifests(volume).equals(before)) {
      return new RemovedBackup(0, "the target's list of backups changed: packs are kept");
    }
    Set<String> needed = new HashSet<>();
    for (Map.Entry<String, BackupName> entry : before.entrySet()) {
      lock.keep();
      try {
        needed.addAll(needed(entry.getKey(), entry.getValue(), format));
      } catch (StorageException e) {
        return kept(entry.getValue(), e);
      }
    }
    Set<String> unused = new HashSet<>();
    store.list(PackedKeys.packs(volume), "", object -> unused.add(object.key()));
    store.list(PackedKeys.maps(volume), "", object -> unused.add(object.key()));
    if (!unused.containsAll(needed)) {
      return new RemovedBackup(
          0, "a backup needs a pack or a map that the target did not list: packs are kept");
    }
    unused.removeAll(needed);
    if (!manifests(volume).equals(before)) {
      return new RemovedBackup(0, "the target's list of backups changed: packs are kept");
    }
    lock.refresh();
    PackedTrash trash = PackedTrash.read(store, volume, lock.targetTime());
    trash.add(unused);
    List<String> due = trash.dueOf(unused);
    delete(due, lock);
    delete(trash.settled(), lock);
    return new RemovedBackup(due.size(), "");
  }

  /** Returns the manifests by their keys. */
  private Map<String, BackupName> manifests(String volume) throws StorageException {
    Map<String, BackupName> found = new TreeMap<>();
    List<String> keys = new ArrayList<>();
    store.list(PackedKeys.backups(volume), "", object -> keys.add(object.key()));
    for (String key : keys) {
      Optional<String> name = PackedKeys.backup(volume, key);
      if (name.isPresent()) {
        found.put(key, new BackupName(volume, name.get()));
      }
    }
    return found;
  }

  /** Returns the keys of what a backup needs. */
  private Set<String> needed(String key, BackupName name, PackedFormat format)
      throws StorageException {
    StoredObject object =
        store
            .stat(key)
            .orElseThrow(
                () -> new StorageException(ErrorCode.NOT_FOUND, "manifest " + key + " is gone"));
    Manifest manifest = Manifest.read(store, object, name, format);
    Set<String> needed = new HashSet<>();
    for (String pack : manifest.packs()) {
      needed.add(PackedKeys.pack(name.volume(), pack));
    }
    for (Manifest.MapName map : manifest.maps()) {
      needed.add(PackedKeys.map(name.volume(), map.id()));
    }
    return needed;
  }

  private static RemovedBackup kept(BackupName name, StorageException e) throws StorageException {
    return switch (e.code()) {
      case BUSY, IO, UNSUPPORTED, NOT_FOUND, INVALID ->
          new RemovedBackup(0, "backup " + name + ": " + e.getMessage() + ": packs are kept");
      case ALREADY_EXISTS, CONFLICT, NO_SPACE, UNREACHABLE, TIMEOUT, EXPIRED, FORBIDDEN, INTERNAL ->
          throw e;
    };
  }

  private void delete(List<String> keys, VolumeLock lock) throws StorageException {
    for (int from = 0; from < keys.size(); from += BATCH) {
      // Fails if the lock was lost, so that a backup may have begun.
      lock.refresh();
      store.delete(keys.subList(from, Math.min(keys.size(), from + BATCH)));
    }
  }

  /**
   * Deletes the format of a volume that has no other packed object. Returns whether it did.
   *
   * @throws StorageException as {@link #remove}
   */
  public boolean removeEmpty(String volume) throws StorageException {
    try (VolumeLock lock = VolumeLock.acquire(store, volume, VolumeLock.Type.DELETE, timing)) {
      List<String> keys = new ArrayList<>();
      store.list(PackedKeys.folder(volume), "", object -> keys.add(object.key()));
      if (!keys.equals(List.of(PackedKeys.format(volume)))) {
        return false;
      }
      delete(keys, lock);
      return true;
    }
  }

  /**
   * Deletes all backups of a volume. A crash at any step leaves no visible backup without its
   * chunks, and a repetition completes the deletion.
   *
   * @throws StorageException BUSY while a backup or a restore of the volume is in progress; what
   *     the target throws: delete it again
   */
  public void removeVolume(String volume) throws StorageException {
    try (VolumeLock lock = VolumeLock.acquire(store, volume, VolumeLock.Type.DELETE, timing)) {
      for (String prefix :
          List.of(
              PackedKeys.backups(volume),
              PackedKeys.maps(volume),
              PackedKeys.packs(volume),
              PackedKeys.trash(volume))) {
        List<String> keys = new ArrayList<>();
        store.list(prefix, "", object -> keys.add(object.key()));
        delete(keys, lock);
      }
      delete(List.of(PackedKeys.format(volume)), lock);
    }
  }
}
