package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupContent;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.LonghornBackups;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The backup that a volume is restored from, as the source of its first content. */
final class RestoredBackup implements RegionCopy.CopySource, AutoCloseable {
  private final ObjectStore store;
  private final BackupContent content;

  private RestoredBackup(ObjectStore store, BackupContent content) {
    this.store = store;
    this.content = content;
  }

  /** Returns the name that an address of a backup contains. */
  static BackupName name(String address) throws StorageException {
    TargetUrl url = TargetUrl.parse(address);
    return new BackupName(url.parameter(TargetUrl.VOLUME), url.parameter(TargetUrl.BACKUP));
  }

  /** Reads the description of a backup. */
  static StoredBackup describe(InstalledTargets targets, TargetAccess access)
      throws StorageException {
    try (ObjectStore store = targets.open(access)) {
      return new LonghornBackups(store).backup(name(access.address()));
    }
  }

  /** Opens the backup of an address. */
  static RestoredBackup open(InstalledTargets targets, TargetAccess access)
      throws StorageException {
    ObjectStore store = targets.open(access);
    try {
      return new RestoredBackup(store, BackupContent.open(store, name(access.address())));
    } catch (StorageException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  @Override
  public List<RegionCopy.Range> allocated(RegionCopy.Range within) {
    List<RegionCopy.Range> found = new ArrayList<>();
    content.allocated(
        within.offset(),
        within.length(),
        (offset, length) -> found.add(new RegionCopy.Range(offset, length)));
    return found;
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    content.read(offset, target);
  }

  @Override
  public void close() {
    content.close();
    store.close();
  }
}
