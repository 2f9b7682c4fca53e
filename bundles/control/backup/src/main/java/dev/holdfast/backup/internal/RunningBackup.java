package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backupstore.WrittenBackup;
import dev.holdfast.backupstore.layout.BackupLayout;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.SnapshotReader;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupMode;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.snapshot.Snapshot;
import java.util.Locale;
import java.util.function.Function;

/** One attempt to write a backup on this node. The progress may be read by any thread. */
final class RunningBackup {
  private final InstalledTargets targets;
  private final Backup backup;
  private final BackupTarget target;
  private final Snapshot snapshot;
  private final RecordedImage image;
  private final Function<SnapshotReader, BackupSource> source;
  private volatile boolean cancelled;
  private volatile int percent;

  RunningBackup(
      InstalledTargets targets,
      Backup backup,
      BackupTarget target,
      Snapshot snapshot,
      RecordedImage image,
      Function<SnapshotReader, BackupSource> source) {
    this.source = source;
    this.targets = targets;
    this.backup = backup;
    this.target = target;
    this.snapshot = snapshot;
    this.image = image;
  }

  Backup backup() {
    return backup;
  }

  int percent() {
    return percent;
  }

  /** Ends the attempt after the blocks in flight are sent. */
  void cancel() {
    cancelled = true;
  }

  /** Writes the backup. Fails with UNREACHABLE if the volume is closed on this node. */
  WrittenBackup run(AttachedVolume volume) throws StorageException {
    try (ObjectStore store = targets.open(TargetAccess.of(target));
        SnapshotReader reader = SnapshotReader.open(volume, snapshot.nameInVolume())) {
      requireSnapshot(reader);
      TransferOptions options = targets.options();
      return new LaidOutBackups(store, options.timing())
          .write(
              request(reader),
              BackupLayout.valueOf(target.spec().layout().toUpperCase(Locale.ROOT)),
              source.apply(reader),
              options.threads(),
              this::advanced);
    }
  }

  /** Refuses a different snapshot that was taken under the same name since the backup began. */
  private void requireSnapshot(SnapshotReader reader) throws StorageException {
    String found = SnapshotBackupSource.uid(reader.info());
    if (!found.isEmpty() && !found.equals(snapshot.metadata().uid())) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "backup "
              + backup.name()
              + ": snapshot "
              + snapshot.nameInVolume()
              + " of the volume is another one than that of the backup");
    }
  }

  private BackupRequest request(SnapshotReader reader) {
    return new BackupRequest(
        BackupRecords.nameOf(backup),
        snapshot.nameInVolume(),
        SnapshotBackupSource.uid(reader.info()),
        reader.info().created(),
        backup.spec().labels(),
        backup.spec().backupMode() == BackupMode.FULL,
        (int) target.spec().blockSize().bytes(),
        Compression.valueOf(target.spec().compressionMethod().toUpperCase(Locale.ROOT)),
        image);
  }

  private void advanced(long done, long total) throws StorageException {
    percent = (int) (100 * done / Math.max(1, total));
    if (cancelled) {
      throw new StorageException(
          ErrorCode.CONFLICT, "backup " + backup.name() + ": was deleted or cancelled");
    }
  }
}
