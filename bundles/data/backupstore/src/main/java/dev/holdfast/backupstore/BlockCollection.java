package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Deletes the blocks of a volume that no backup needs, under the lock for deletions. Reads one
 * configuration at a time. Deletes nothing unless every backup of the list is readable, no backup
 * is in progress, every needed block is in the list of blocks, and the list of backups stays the
 * same.
 */
final class BlockCollection {
  private static final int BATCH = 1_000;

  private final ObjectStore store;
  private final LonghornBackups backups;
  private final String volume;
  private final VolumeLock lock;
  private final List<BackupName> listed;
  private final Set<BlockList.Hash> used = new LinkedHashSet<>();

  /**
   * @param listed the backups as they were listed before the deletion
   */
  BlockCollection(ObjectStore store, String volume, VolumeLock lock, List<BackupName> listed) {
    this.store = store;
    this.backups = new LonghornBackups(store);
    this.volume = volume;
    this.lock = lock;
    this.listed = listed;
  }

  RemovedBackup run(BackupName removed) throws StorageException {
    List<BackupName> remaining = new ArrayList<>(listed);
    remaining.remove(removed);
    if (!backups.backupNames(volume).equals(remaining)) {
      return new RemovedBackup(0, "the target's list of backups changed: blocks are kept");
    }
    Set<BlockList.Hash> unused = blocks();
    int all = unused.size();
    Optional<BackupSummary> newest = Optional.empty();
    for (Iterator<BackupName> each = remaining.iterator(); each.hasNext(); ) {
      BackupName name = each.next();
      lock.keep();
      StoredBackup backup;
      try {
        backup = backups.backup(name);
      } catch (StorageException e) {
        if (e.code() == ErrorCode.BUSY && discard(name)) {
          each.remove();
          continue;
        }
        return kept(name, e);
      }
      if (!use(unused, backup.blocks())) {
        return new RemovedBackup(
            0, "backup " + name + " needs a block that the target did not list: blocks are kept");
      }
      newest = newer(newest, backup.summary());
    }
    if (!backups.backupNames(volume).equals(remaining)) {
      return new RemovedBackup(0, "the target's list of backups changed: blocks are kept");
    }
    delete(unused);
    record(newest, all - unused.size());
    return new RemovedBackup(unused.size(), "");
  }

  private static RemovedBackup kept(BackupName name, StorageException e) throws StorageException {
    return switch (e.code()) {
      case BUSY, IO, UNSUPPORTED, NOT_FOUND, INVALID ->
          new RemovedBackup(0, "backup " + name + ": " + e.getMessage() + ": blocks are kept");
      case ALREADY_EXISTS, CONFLICT, NO_SPACE, UNREACHABLE, TIMEOUT, EXPIRED, FORBIDDEN, INTERNAL ->
          throw e;
    };
  }

  private Set<BlockList.Hash> blocks() throws StorageException {
    Set<BlockList.Hash> found = new LinkedHashSet<>();
    store.list(
        LonghornKeys.blocks(volume).folder(),
        "",
        object -> {
          String checksum = LonghornKeys.blocks(volume).checksum(object.key());
          if (!checksum.isEmpty()) {
            found.add(BlockList.Hash.of(HexFormat.of().parseHex(checksum)));
          }
        });
    return found;
  }

  /** Takes the blocks of a backup from the unused ones; returns whether all were listed. */
  private boolean use(Set<BlockList.Hash> unused, BlockList blocks) {
    for (int i = 0; i < blocks.size(); i++) {
      BlockList.Hash hash = blocks.hash(i);
      if (unused.remove(hash)) {
        used.add(hash);
      } else if (!used.contains(hash)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Deletes a backup whose writer died: this lock excludes a living one, and the announcement is
   * older than a lease.
   */
  private boolean discard(BackupName name) throws StorageException {
    String key = LonghornKeys.backupConfig(name);
    Optional<StoredObject> config = store.stat(key);
    Instant oldest = lock.targetTime().minus(VolumeLock.LEASE);
    if (config.isPresent() && config.get().modified().isBefore(oldest)) {
      store.delete(List.of(key));
      return true;
    }
    return false;
  }

  private static Optional<BackupSummary> newer(
      Optional<BackupSummary> newest, BackupSummary summary) {
    boolean older =
        newest
            .filter(present -> present.createdAt().compareTo(summary.createdAt()) >= 0)
            .isPresent();
    return older ? newest : Optional.of(summary);
  }

  private void delete(Set<BlockList.Hash> unused) throws StorageException {
    List<String> keys = new ArrayList<>();
    for (BlockList.Hash hash : unused) {
      keys.add(LonghornKeys.block(volume, hash.text()));
      if (keys.size() == BATCH) {
        deleteBatch(keys);
      }
    }
    deleteBatch(keys);
  }

  private void deleteBatch(List<String> keys) throws StorageException {
    if (!keys.isEmpty()) {
      // Fails if the lock was lost, so that a backup may have begun.
      lock.refresh();
      store.delete(keys);
      keys.clear();
    }
  }

  private void record(Optional<BackupSummary> newest, int blocks) throws StorageException {
    Optional<VolumeConfig> config = VolumeConfig.read(store, volume);
    if (config.isPresent()) {
      lock.refresh();
      config
          .get()
          .setLast(
              newest.map(summary -> summary.name().backup()).orElse(""),
              newest.map(BackupSummary::snapshotCreatedAt).orElse(""),
              blocks);
    }
  }
}
