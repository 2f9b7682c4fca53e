package dev.holdfast.backup.internal;

import dev.holdfast.backup.internal.delta.DeltaBase;
import dev.holdfast.backup.internal.delta.DeltaSource;
import dev.holdfast.backupstore.BackupContent;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.DamagedBlock;
import dev.holdfast.backupstore.DamagedBlockException;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.backupstore.image.LonghornImages;
import dev.holdfast.backupstore.image.StoredImage;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.block.BlockDevice;
import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.volume.Volume;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/** The backup of a restored volume, as the source of its first content. Thread-safe. */
final class RestoredBackup implements AutoCloseable {
  private final ObjectStore store;
  private final BackupContent content;

  /** Decides about blocks that cannot be restored. */
  interface Damage {
    /**
     * Records that zeroes replace a block. Returns whether that is permitted.
     *
     * @throws StorageException if it could not be recorded
     */
    boolean becomesZeroes(DamagedBlock block) throws StorageException;
  }

  private RestoredBackup(ObjectStore store, BackupContent content) {
    this.store = store;
    this.content = content;
  }

  /** Returns the name that an address of a backup contains. */
  static BackupName name(String address) throws StorageException {
    TargetUrl url = TargetUrl.parse(address);
    return new BackupName(url.parameter(TargetUrl.VOLUME), url.parameter(TargetUrl.BACKUP));
  }

  /**
   * Description of a backup.
   *
   * @param backup with its blocks
   * @param image backup of the image below it, at the same target; empty for none
   */
  record Description(StoredBackup backup, Optional<StoredImage.Summary> image) {}

  /** Reads the description of a backup. */
  static Description describe(InstalledTargets targets, TargetAccess access)
      throws StorageException {
    try (ObjectStore store = targets.open(access)) {
      StoredBackup backup = new LaidOutBackups(store).backup(name(access.address()));
      return new Description(
          backup,
          backup.image().isNone()
              ? Optional.empty()
              : new LonghornImages(store).summary(backup.image().name()));
    }
  }

  /** Opens the backup of an address. The caller may read it before the target admits its lock. */
  static RestoredBackup open(InstalledTargets targets, TargetAccess access, Executor threads)
      throws StorageException {
    ObjectStore store = targets.open(access);
    try {
      return new RestoredBackup(
          store,
          BackupContent.openAtOnce(
              store,
              new LaidOutBackups(store),
              name(access.address()),
              targets.options().timing(),
              threads));
    } catch (StorageException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Returns the image below the backup. */
  RecordedImage image() {
    return content.backup().image();
  }

  /**
   * Returns sources of the content, each for one thread.
   *
   * @param most maximum number of sources; fewer are returned if their buffers would be too large
   * @param damage decides about damaged blocks
   */
  List<RegionCopy.CopySource> sources(int most, Damage damage) {
    List<RegionCopy.CopySource> sources = new ArrayList<>();
    for (int i = content.affordable(most); i > 0; i--) {
      sources.add(new Source(content.cursor(), damage));
    }
    return sources;
  }

  /**
   * Returns sources of only the blocks that a standby volume lacks.
   *
   * @param sources of the whole content
   * @param volume whose status has its current content
   * @param device of the volume
   * @throws StorageException CONFLICT if the backup of this name was replaced at the target since
   *     the restore began; also while the target cannot be read
   */
  List<RegionCopy.CopySource> lacking(
      List<RegionCopy.CopySource> sources, Volume volume, BlockDevice device, DeltaBase bases)
      throws StorageException {
    StandbyStatus standby = volume.status().standby();
    StoredBackup backup = content.backup();
    if (!backup.contentChecksum().equals(standby.appliedBlocks())) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "backup "
              + backup.summary().name()
              + ": the backup of this name at the target was replaced after its restore began: "
              + "activate"
              + " volume "
              + volume.name()
              + " with spec.standbyActivation revert");
    }
    if (standby.lastRestored().isEmpty()) {
      return sources;
    }
    Optional<StoredBackup> base = bases.find(new LaidOutBackups(store), standby, backup);
    return sources.stream()
        .<RegionCopy.CopySource>map(one -> new DeltaSource(one, content, base, device))
        .toList();
  }

  /** The content for one reading thread. */
  private final class Source implements RegionCopy.CopySource {
    private final BackupContent.Cursor cursor;
    private final Damage damage;

    Source(BackupContent.Cursor cursor, Damage damage) {
      this.cursor = cursor;
      this.damage = damage;
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

    /** A range never spans two blocks, so that a damaged block zeroes only its own range. */
    @Override
    public void read(long offset, ByteBuffer target) throws StorageException {
      int start = target.position();
      try {
        cursor.read(offset, target);
      } catch (DamagedBlockException e) {
        if (!damage.becomesZeroes(e.block())) {
          throw e;
        }
        target.position(start);
        while (target.hasRemaining()) {
          target.put((byte) 0);
        }
      }
    }

    @Override
    public boolean isAboveBase() {
      return !image().isNone();
    }

    @Override
    public boolean isDamage(StorageException failure) {
      return failure instanceof DamagedBlockException;
    }
  }

  @Override
  public void close() {
    content.close();
    store.close();
  }
}
