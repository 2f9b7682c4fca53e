package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Deletes backups in Longhorn's layout, and the blocks that no other backup needs. Blocks are
 * deleted only after complete lists of backups and blocks that agree with each other. Thread-safe.
 */
public final class LonghornBackupRemoval {
  private static final int BATCH = 1_000;

  private final ObjectStore store;
  private final LockTiming timing;

  /**
   * Creates a removal.
   *
   * @param store the target, which the caller closes, not null
   */
  public LonghornBackupRemoval(ObjectStore store) {
    this(store, LockTiming.SYSTEM);
  }

  /**
   * Creates a removal whose locks have another time.
   *
   * @param store the target, which the caller closes, not null
   * @param timing of locks, not null
   */
  public LonghornBackupRemoval(ObjectStore store, LockTiming timing) {
    this.store = Objects.requireNonNull(store, "store");
    this.timing = timing;
  }

  /**
   * Deletes a backup. Succeeds also for one that is gone, whose blocks may have stayed.
   *
   * @param name of volume and backup, not null
   * @return what was deleted, never null
   * @throws StorageException BUSY while a backup or a restore of the volume is in progress; what
   *     the target throws: delete it again
   */
  public RemovedBackup remove(BackupName name) throws StorageException {
    BackupName.check("volume", name.volume());
    BackupName.check("backup", name.backup());
    if (store.stat(LonghornKeys.volumeConfig(name.volume())).isEmpty()) {
      return new RemovedBackup(0, "the target does not have the volume");
    }
    try (VolumeLock lock =
        VolumeLock.acquire(store, name.volume(), VolumeLock.Type.DELETE, timing)) {
      return remove(name, lock);
    }
  }

  /**
   * Deletes all backups of a volume, complete or not, their blocks and the configuration of the
   * volume. Succeeds also for a volume that is gone. A crash at any step leaves no visible backup
   * without its blocks, and a repetition completes the deletion.
   *
   * @param volume name of the volume, not null
   * @throws StorageException BUSY while a backup or a restore of the volume is in progress; INVALID
   *     for an impossible name; what the target throws: delete it again
   */
  public void removeVolume(String volume) throws StorageException {
    BackupName.check("volume", volume);
    try (VolumeLock lock = VolumeLock.acquire(store, volume, VolumeLock.Type.DELETE, timing)) {
      deleteAll(LonghornKeys.backupsFolder(volume), lock);
      deleteAll(LonghornKeys.blocks(volume).folder(), lock);
      lock.refresh();
      store.delete(List.of(LonghornKeys.volumeConfig(volume)));
    }
  }

  /** Deletes the objects below a prefix, until a list of them is empty. */
  private void deleteAll(String prefix, VolumeLock lock) throws StorageException {
    for (List<String> keys = some(prefix); !keys.isEmpty(); keys = some(prefix)) {
      // Fails if the lock was lost, so that a backup may have begun.
      lock.refresh();
      store.delete(keys);
    }
  }

  /** Returns the first keys with a prefix, as many as one call deletes. */
  private List<String> some(String prefix) throws StorageException {
    List<String> keys = new ArrayList<>();
    try {
      store.list(
          prefix,
          "",
          object -> {
            keys.add(object.key());
            if (keys.size() == BATCH) {
              throw new BatchFound();
            }
          });
    } catch (BatchFound e) {
      // The rest is listed by the next call.
    }
    return keys;
  }

  /** Ends a listing after a batch. */
  private static final class BatchFound extends StorageException {
    private static final long serialVersionUID = 1L;

    BatchFound() {
      super(ErrorCode.INTERNAL, "the listing was ended after a batch");
    }
  }

  private RemovedBackup remove(BackupName name, VolumeLock lock) throws StorageException {
    String key = LonghornKeys.backupConfig(name);
    List<BackupName> before = new LonghornBackups(store).backupNames(name.volume());
    if (store.stat(key).isPresent() && !before.contains(name)) {
      throw partial(name.volume(), name.backup());
    }
    VolumeConfig volume = config(name.volume());
    if (volume.lastBackup().equals(name.backup())) {
      // A backup between this and the collection compares everything.
      volume.setLast("", "", volume.blockCount());
    } else if (!volume.lastBackup().isEmpty()
        && !before.contains(new BackupName(name.volume(), volume.lastBackup()))) {
      throw partial(name.volume(), volume.lastBackup());
    }
    store.delete(List.of(key));
    return new BlockCollection(store, name.volume(), lock, before).run(name);
  }

  private VolumeConfig config(String volume) throws StorageException {
    Optional<VolumeConfig> config = VolumeConfig.read(store, volume);
    return config.orElseThrow(
        () -> new StorageException(ErrorCode.NOT_FOUND, "volume " + volume + ": has no backups"));
  }

  private static StorageException partial(String volume, String backup) {
    return new StorageException(
        ErrorCode.TIMEOUT,
        "volume "
            + volume
            + ": the target's list of backups lacks "
            + Printable.of(backup)
            + ": nothing was deleted");
  }
}
