package dev.holdfast.backupstore.layout;

import dev.holdfast.backupstore.BackupCatalog;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.LockTiming;
import dev.holdfast.backupstore.LonghornBackupRemoval;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.LonghornBackups;
import dev.holdfast.backupstore.RemovedBackup;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.backupstore.StoredVolume;
import dev.holdfast.backupstore.WrittenBackup;
import dev.holdfast.backupstore.internal.packed.PackedBackups;
import dev.holdfast.backupstore.internal.packed.PackedRemoval;
import dev.holdfast.backupstore.internal.packed.PackedWriter;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The backups of a target, each volume in the layout in which its first backup was written. Holds
 * no state beside the store; thread-safe. A listing that fails is an exception.
 */
public final class LaidOutBackups implements BackupCatalog {
  private final ObjectStore store;
  private final LockTiming timing;
  private final LonghornBackups longhorn;
  private final PackedBackups packed;

  /**
   * Creates a view.
   *
   * @param store the target, which the caller closes, not null
   */
  public LaidOutBackups(ObjectStore store) {
    this(store, LockTiming.SYSTEM);
  }

  /**
   * Creates a view whose locks have another time.
   *
   * @param store the target, which the caller closes, not null
   * @param timing of locks, not null
   */
  public LaidOutBackups(ObjectStore store, LockTiming timing) {
    this.store = Objects.requireNonNull(store, "store");
    this.timing = Objects.requireNonNull(timing, "timing");
    this.longhorn = new LonghornBackups(store);
    this.packed = new PackedBackups(store);
  }

  /**
   * Returns the backups in the layout of one volume, for callers that ask several times.
   *
   * @param volume name of the volume, which may be unknown here, not null
   * @return the layout that has the volume, never null
   * @throws StorageException INVALID for an impossible name; what the target throws
   */
  public BackupCatalog of(String volume) throws StorageException {
    return packed.hasVolume(volume) ? packed : longhorn;
  }

  /**
   * Writes a backup and reads it back.
   *
   * @param request names and describes the backup, not null
   * @param layout of a volume that has no backups at the target, not null
   * @param source its content, not null
   * @param threads how many blocks are handled at a time, positive
   * @param progress receives the progress, not null
   * @return the backup as the target has it, never null
   * @throws StorageException as {@link LonghornBackupWriter#write}; CONFLICT if another cluster
   *     began the first backup of the volume in the other layout, which the next attempt then uses
   */
  public WrittenBackup write(
      BackupRequest request,
      BackupLayout layout,
      BackupSource source,
      int threads,
      LonghornBackupWriter.Progress progress)
      throws StorageException {
    String volume = request.name().volume();
    boolean hasPacked = packed.hasVolume(volume) && !dropsEmptyFormat(volume);
    boolean isPacked = hasPacked || (layout == BackupLayout.PACKED && !longhorn.hasVolume(volume));
    AtomicBoolean checked = new AtomicBoolean();
    LonghornBackupWriter.Progress checking =
        (done, total) -> {
          // By now both writers have announced the volume, so that one of them sees the other.
          if (!checked.getAndSet(true)) {
            requireOneLayout(volume, isPacked);
          }
          progress.advanced(done, total);
        };
    return isPacked
        ? new PackedWriter(store, threads, timing).write(request, source, checking)
        : new LonghornBackupWriter(store, threads, timing).write(request, source, checking);
  }

  /** Deletes the format.json of a writer that found Longhorn's layout after it had put it. */
  private boolean dropsEmptyFormat(String volume) throws StorageException {
    return longhorn.hasVolume(volume)
        && packed.configs(volume).isEmpty()
        && new PackedRemoval(store, timing).removeEmpty(volume);
  }

  private void requireOneLayout(String volume, boolean isPacked) throws StorageException {
    boolean conflict =
        isPacked
            ? longhorn.hasVolume(volume) && packed.configs(volume).isEmpty()
            : packed.hasVolume(volume);
    if (conflict) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "volume "
              + volume
              + ": another cluster began its first backup at the target in the "
              + (isPacked ? "layout of Longhorn" : "packed layout")
              + " at the same time: the next attempt uses one layout; set spec.layout of both"
              + " targets to the same one");
    }
  }

  /**
   * Deletes a backup, and what no other backup needs. Succeeds also for one that is gone.
   *
   * @param name of volume and backup, not null
   * @return what was deleted, never null
   * @throws StorageException as {@link LonghornBackupRemoval#remove}
   */
  public RemovedBackup remove(BackupName name) throws StorageException {
    return packed.hasVolume(name.volume())
        ? new PackedRemoval(store, timing).remove(name)
        : new LonghornBackupRemoval(store, timing).remove(name);
  }

  /**
   * Deletes all backups of a volume. Succeeds also for a volume that is gone.
   *
   * @param volume name of the volume, not null
   * @throws StorageException as {@link LonghornBackupRemoval#removeVolume}
   */
  public void removeVolume(String volume) throws StorageException {
    if (packed.hasVolume(volume)) {
      new PackedRemoval(store, timing).removeVolume(volume);
    } else {
      new LonghornBackupRemoval(store, timing).removeVolume(volume);
    }
  }

  /**
   * Deletes what no backup of a volume has needed for the grace time, if its layout has one. Each
   * backup and each deletion does the same.
   *
   * @param volume name of the volume, not null
   * @return what was deleted, never null
   * @throws StorageException as {@link #remove}
   */
  public RemovedBackup collect(String volume) throws StorageException {
    return packed.hasVolume(volume)
        ? new PackedRemoval(store, timing).collect(volume)
        : new RemovedBackup(0, "");
  }

  @Override
  public List<String> volumes() throws StorageException {
    Set<String> names = new LinkedHashSet<>(longhorn.volumes());
    names.addAll(packed.volumes());
    return List.copyOf(names);
  }

  @Override
  public StoredVolume volume(String name) throws StorageException {
    return of(name).volume(name);
  }

  @Override
  public boolean hasVolume(String volume) throws StorageException {
    return of(volume).hasVolume(volume);
  }

  @Override
  public boolean mayHaveBackup(BackupName name, Optional<Instant> createdAt)
      throws StorageException {
    // A volume that lost its format.json still has its packed backups.
    return longhorn.mayHaveBackup(name, createdAt) || packed.mayHaveBackup(name, createdAt);
  }

  @Override
  public Map<BackupName, StoredObject> configs(String volume) throws StorageException {
    return of(volume).configs(volume);
  }

  @Override
  public BackupSummary summary(StoredVolume volume, BackupName name, StoredObject config)
      throws StorageException {
    return of(name.volume()).summary(volume, name, config);
  }

  @Override
  public BackupSummary summary(StoredVolume volume, String name) throws StorageException {
    return of(volume.name()).summary(volume, name);
  }

  @Override
  public StoredBackup backup(BackupName name) throws StorageException {
    return of(name.volume()).backup(name);
  }
}
