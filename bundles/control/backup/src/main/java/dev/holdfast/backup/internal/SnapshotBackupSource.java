package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.datapath.SnapshotReader;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A snapshot of a volume that is open on this node, as the source of a backup. */
final class SnapshotBackupSource implements BackupSource {
  private final SnapshotReader reader;

  SnapshotBackupSource(SnapshotReader reader) {
    this.reader = reader;
  }

  /** Returns the uid that the engine keeps with a snapshot, empty for none. */
  static String uid(SnapshotInfo info) {
    return info.labels().getOrDefault(Snapshot.UID_LABEL, "");
  }

  @Override
  public long sizeBytes() {
    return reader.sizeBytes();
  }

  @Override
  public Optional<String> refusesBase(BackupSummary last) throws StorageException {
    if (last.snapshotUid().isEmpty()) {
      return Optional.of("backup " + last.name() + " does not record the uid of its snapshot");
    }
    Optional<SnapshotInfo> base = reader.ancestor(last.snapshot());
    if (base.isEmpty()) {
      return Optional.of(
          "snapshot " + last.snapshot() + " of backup " + last.name() + " is gone or not below");
    }
    return uid(base.get()).equals(last.snapshotUid())
        ? Optional.empty()
        : Optional.of(
            "snapshot " + last.snapshot() + " is another one than that of backup " + last.name());
  }

  @Override
  public void changedSince(BackupSummary last, RangeVisitor visitor) throws StorageException {
    changes(last.snapshot(), visitor);
  }

  @Override
  public void allocated(RangeVisitor visitor) throws StorageException {
    changes("", visitor);
  }

  @Override
  public void aboveImage(RangeVisitor visitor) throws StorageException {
    changes(SnapshotInfo.BASE, visitor);
  }

  private void changes(String older, RangeVisitor visitor) throws StorageException {
    reader.changes(
        older,
        (offset, length, kind) -> {
          if (kind == ExtentKind.DATA) {
            visitor.range(offset, length);
          }
          return true;
        });
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(target.remaining());
    reader.read(offset, bytes);
    target.put(bytes.flip());
  }
}
