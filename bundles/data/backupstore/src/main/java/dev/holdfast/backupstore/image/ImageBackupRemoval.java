package dev.holdfast.backupstore.image;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.LockTiming;
import dev.holdfast.backupstore.RemovedBackup;
import dev.holdfast.backupstore.VolumeLock;
import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Deletes backups of images, and the blocks that no other image needs. Blocks are deleted only if
 * every other backup is readable and complete, has all its blocks in the list of blocks, and the
 * list of images stays the same. Thread-safe.
 */
public final class ImageBackupRemoval {
  private static final int BATCH = 1_000;

  private final ObjectStore store;
  private final LockTiming timing;
  private final LonghornImages images;

  /**
   * Creates a removal.
   *
   * @param store the target, which the caller closes, not null
   * @param timing of locks, not null
   */
  public ImageBackupRemoval(ObjectStore store, LockTiming timing) {
    this.store = Objects.requireNonNull(store, "store");
    this.timing = Objects.requireNonNull(timing, "timing");
    this.images = new LonghornImages(store);
  }

  /**
   * Deletes the backup of an image. Succeeds also for one that is gone, whose blocks may have
   * stayed.
   *
   * @param image its name, not null
   * @return what was deleted, never null
   * @throws StorageException BUSY while a backup or a restore of an image is in progress; INVALID
   *     for an impossible name; what the target throws: delete it again
   */
  public RemovedBackup remove(String image) throws StorageException {
    BackupName.check("image", image);
    try (VolumeLock lock =
        VolumeLock.acquire(store, ImageKeys.LOCK, VolumeLock.Type.DELETE, timing)) {
      List<String> remaining = new ArrayList<>(images.names());
      remaining.remove(image);
      store.delete(List.of(ImageKeys.config(image)));
      return collect(remaining, lock);
    }
  }

  private RemovedBackup collect(List<String> remaining, VolumeLock lock) throws StorageException {
    if (!images.names().equals(remaining)) {
      return kept("the target's list of images changed");
    }
    Set<BlockList.Hash> unused = blocks();
    Set<BlockList.Hash> used = new LinkedHashSet<>();
    for (Iterator<String> each = remaining.iterator(); each.hasNext(); ) {
      String name = each.next();
      lock.keep();
      if (isDiscarded(name, lock)) {
        each.remove();
        continue;
      }
      Optional<String> obstacle = use(name, unused, used);
      if (obstacle.isPresent()) {
        return kept("image " + name + ": " + obstacle.get());
      }
    }
    if (!images.names().equals(remaining)) {
      return kept("the target's list of images changed");
    }
    delete(unused, lock);
    return new RemovedBackup(unused.size(), "");
  }

  private static RemovedBackup kept(String why) {
    return new RemovedBackup(0, why + ": blocks are kept");
  }

  private Set<BlockList.Hash> blocks() throws StorageException {
    Set<BlockList.Hash> found = new LinkedHashSet<>();
    store.list(
        ImageKeys.BLOCKS.folder(),
        "",
        object -> {
          String checksum = ImageKeys.BLOCKS.checksum(object.key());
          if (!checksum.isEmpty()) {
            found.add(BlockList.Hash.of(HexFormat.of().parseHex(checksum)));
          }
        });
    return found;
  }

  /**
   * Deletes a backup whose writer died: this lock excludes a living one, and the announcement is
   * older than a lease.
   */
  private boolean isDiscarded(String name, VolumeLock lock) throws StorageException {
    Optional<StoredObject> config = store.stat(ImageKeys.config(name));
    if (config.isEmpty()
        || !config.get().modified().isBefore(lock.targetTime().minus(VolumeLock.LEASE))) {
      return false;
    }
    try {
      if (!ImageConfig.read(store, name, config.get()).summary().inProgress()) {
        return false;
      }
    } catch (StorageException e) {
      // What cannot be read keeps all blocks, see use().
      return false;
    }
    store.delete(List.of(ImageKeys.config(name)));
    return true;
  }

  /** Takes the blocks of an image from the unused ones; returns why that is not possible. */
  private Optional<String> use(String name, Set<BlockList.Hash> unused, Set<BlockList.Hash> used)
      throws StorageException {
    BlockList blocks;
    try {
      blocks = images.image(name).blocks();
    } catch (StorageException e) {
      return switch (e.code()) {
        case BUSY, IO, UNSUPPORTED, NOT_FOUND, INVALID ->
            Optional.of(String.valueOf(e.getMessage()));
        case ALREADY_EXISTS,
            CONFLICT,
            NO_SPACE,
            UNREACHABLE,
            TIMEOUT,
            EXPIRED,
            FORBIDDEN,
            INTERNAL ->
            throw e;
      };
    }
    for (int i = 0; i < blocks.size(); i++) {
      BlockList.Hash hash = blocks.hash(i);
      if (unused.remove(hash)) {
        used.add(hash);
      } else if (!used.contains(hash)) {
        return Optional.of("needs a block that the target did not list");
      }
    }
    return Optional.empty();
  }

  private void delete(Set<BlockList.Hash> unused, VolumeLock lock) throws StorageException {
    List<String> keys = new ArrayList<>();
    for (BlockList.Hash hash : unused) {
      keys.add(ImageKeys.BLOCKS.key(hash.text()));
      if (keys.size() == BATCH) {
        deleteBatch(keys, lock);
      }
    }
    deleteBatch(keys, lock);
  }

  private void deleteBatch(List<String> keys, VolumeLock lock) throws StorageException {
    if (!keys.isEmpty()) {
      // Fails if the lock was lost, so that a backup may have begun.
      lock.refresh();
      store.delete(keys);
      keys.clear();
    }
  }
}
