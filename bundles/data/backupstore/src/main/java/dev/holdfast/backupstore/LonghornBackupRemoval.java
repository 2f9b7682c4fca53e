package dev.holdfast.backupstore;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Deletes backups in Longhorn's layout, and the blocks that no other backup needs. Blocks are
 * deleted only after complete lists of backups and blocks that agree with each other. Thread-safe.
 */
public final class LonghornBackupRemoval {
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

  LonghornBackupRemoval(ObjectStore store, LockTiming timing) {
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
