package dev.holdfast.engine.spdk.internal;

import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A snapshot of an open volume as the content of a backup. Closed by its user. */
final class SnapshotContentSource implements BackupSource, AutoCloseable {
  private final SnapshotVolume volume;
  private final String name;
  private final BlockDevice device;

  SnapshotContentSource(SnapshotVolume volume, String name) throws StorageException {
    this.volume = volume;
    this.name = name;
    this.device = volume.openSnapshot(name);
  }

  /** Returns the identity of a snapshot. A test uses each name only once. */
  static String uid(String name) {
    return "uid-" + name;
  }

  @Override
  public long sizeBytes() {
    return device.size();
  }

  @Override
  public Optional<String> refusesBase(BackupSummary last) {
    return uid(last.snapshot()).equals(last.snapshotUid())
        ? Optional.empty()
        : Optional.of("its snapshot is another one");
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
    volume.changes(
        older,
        name,
        (offset, length, kind) -> {
          if (kind == ExtentKind.DATA) {
            visitor.range(offset, length);
          }
          return true;
        });
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    target.put(new DeviceIo(device).read(offset, target.remaining()));
  }

  @Override
  public void close() {
    device.close();
  }
}
