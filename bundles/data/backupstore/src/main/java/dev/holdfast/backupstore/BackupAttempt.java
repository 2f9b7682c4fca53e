package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.internal.BlockTable;
import dev.holdfast.backupstore.internal.KnownBlocks;
import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** One attempt to write a backup, under the lock of its volume. */
final class BackupAttempt {
  private final ObjectStore store;
  private final LonghornBackups backups;
  private final VolumeLock lock;
  private final BackupRequest request;
  private final BackupSource source;
  private final int threads;

  /** The last backup of the volume with its blocks, or why it cannot be used. */
  private record Last(Optional<StoredBackup> backup, String reason) {}

  BackupAttempt(
      ObjectStore store, VolumeLock lock, BackupRequest request, BackupSource source, int threads) {
    this.store = store;
    this.backups = new LonghornBackups(store);
    this.lock = lock;
    this.request = request;
    this.source = source;
    this.threads = threads;
  }

  WrittenBackup run(LonghornBackupWriter.Progress progress) throws StorageException {
    VolumeConfig volume = volume();
    Optional<StoredBackup> present = present();
    Last last = last(volume);
    int blockSize =
        last.backup().map(backup -> backup.summary().blockSize()).orElse(request.blockSize());
    volume.grow(roundedUp(source.sizeBytes(), blockSize));
    KnownBlocks known =
        KnownBlocks.list(
            store, LonghornKeys.blocks(request.name().volume()), BlockReader.largest(blockSize));
    if (present.isPresent() && known.hasAll(present.get().blocks())) {
      return finish(volume, present.get(), known, "", "the target has it", noBytes());
    }
    announce(volume, present.isPresent());
    return write(volume, last, blockSize, known, progress);
  }

  private static BlockUpload.Totals noBytes() {
    return new BlockUpload.Totals(0, 0, 0);
  }

  private static long roundedUp(long size, int blockSize) {
    return (size + blockSize - 1) / blockSize * blockSize;
  }

  private VolumeConfig volume() throws StorageException {
    String name = request.name().volume();
    Optional<VolumeConfig> present = VolumeConfig.read(store, name);
    if (present.isEmpty()) {
      requireLonghorn(request);
      return VolumeConfig.create(
          store,
          name,
          roundedUp(source.sizeBytes(), request.blockSize()),
          request.compression(),
          request.image(),
          lock.targetTime());
    }
    requireImage(backups.volume(name));
    return present.get();
  }

  private static void requireLonghorn(BackupRequest request) throws StorageException {
    if (!request.compression().isLonghorn()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "backup "
              + request.name()
              + ": compression method "
              + request.compression().text()
              + ": the layout of Longhorn has lz4, gzip and none: use one of them, or the packed"
              + " layout");
    }
  }

  /** Backups that stand on an image are continued only above the same one. */
  private void requireImage(StoredVolume volume) throws StorageException {
    RecordedImage wanted = request.image();
    boolean same =
        volume.backingImage().equals(wanted.name())
            && (volume.backingImageChecksum().isEmpty()
                || volume.backingImageChecksum().equals(wanted.checksum()));
    if (!volume.backingImage().isEmpty() && !same) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + volume.name()
              + ": its backups at the target are based on the backing image \""
              + Printable.of(volume.backingImage())
              + "\" with the SHA-512 "
              + Printable.of(volume.backingImageChecksum())
              + (wanted.isNone()
                  ? ", and the volume is based on none"
                  : ", and the volume is based on another one")
              + ": use another target");
    }
  }

  /** Returns the complete backup of this name, which an attempt before a crash may have left. */
  private Optional<StoredBackup> present() throws StorageException {
    try {
      return Optional.of(backups.backup(request.name()));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.BUSY) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private Last last(VolumeConfig volume) throws StorageException {
    String name = volume.lastBackup();
    if (name.isEmpty()) {
      return new Last(Optional.empty(), "the target has no earlier backup of the volume");
    }
    try {
      BackupName last = new BackupName(request.name().volume(), name);
      return new Last(Optional.of(backups.backup(last)), "");
    } catch (StorageException e) {
      return switch (e.code()) {
        case NOT_FOUND, IO, UNSUPPORTED, BUSY, INVALID ->
            new Last(Optional.empty(), "the last backup cannot be used: " + e.getMessage());
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
  }

  /** Records that the backup is in progress before its first block. */
  private void announce(VolumeConfig volume, boolean again) throws StorageException {
    if (again || store.stat(LonghornKeys.backupConfig(request.name())).isEmpty()) {
      put(text(volume).inProgress());
    }
  }

  private BackupConfigText text(VolumeConfig volume) throws StorageException {
    return new BackupConfigText(request, volume.compression(), volume.isAboveImage());
  }

  private void put(ByteBuffer config) throws StorageException {
    store.put(LonghornKeys.backupConfig(request.name()), List.of(config), PutOptions.REPLACE);
  }

  private WrittenBackup write(
      VolumeConfig volume,
      Last last,
      int blockSize,
      KnownBlocks known,
      LonghornBackupWriter.Progress progress)
      throws StorageException {
    BlockTable table = new BlockTable("backup " + request.name(), source.sizeBytes(), blockSize);
    String reason = reasonAgainst(last);
    BitSet blocks = new BitSet();
    BackupSource.RangeVisitor mark = (offset, length) -> mark(blocks, offset, length, blockSize);
    if (reason.isEmpty()) {
      StoredBackup base = last.backup().orElseThrow();
      table.copy(base.blocks());
      source.changedSince(base.summary(), mark);
      markEnds(blocks, base, blockSize);
      markMissing(blocks, table, known);
    } else if (volume.isAboveImage()) {
      source.aboveImage(mark);
    } else {
      source.allocated(mark);
    }
    BlockUpload upload = new BlockUpload(store, request, source, volume, known, table);
    upload.run(
        blocks,
        threads,
        (done, total) -> {
          lock.keep();
          progress.advanced(done, total);
        });
    StoredBackup stored = publish(volume, table, reason.isEmpty(), upload.totals());
    String base = reason.isEmpty() ? last.backup().orElseThrow().summary().name().backup() : "";
    return finish(volume, stored, known, base, reason, upload.totals());
  }

  private String reasonAgainst(Last last) throws StorageException {
    if (request.full()) {
      return "a full backup was requested";
    }
    if (last.backup().isEmpty()) {
      return last.reason();
    }
    return source.refusesBase(last.backup().get().summary()).orElse("");
  }

  private void mark(BitSet blocks, long offset, long length, int blockSize) {
    long end = Math.min(offset + length, source.sizeBytes());
    if (offset < end) {
      blocks.set((int) (offset / blockSize), (int) ((end - 1) / blockSize) + 1);
    }
  }

  /** The last block of either size may hold bytes of one and padding of the other. */
  private void markEnds(BitSet blocks, StoredBackup base, int blockSize) {
    if (base.volumeSizeBytes() != source.sizeBytes()) {
      mark(blocks, base.volumeSizeBytes() - 1, 1, blockSize);
      mark(blocks, source.sizeBytes() - 1, 1, blockSize);
    }
  }

  /** A block of the earlier backup that the target has lost is read and sent again. */
  private static void markMissing(BitSet blocks, BlockTable table, KnownBlocks known) {
    for (int i = 0; i < table.limit(); i++) {
      if (table.has(i) && !known.has(table.hash(i))) {
        blocks.set(i);
      }
    }
  }

  /** Makes the backup visible, and returns what the target then has. */
  private StoredBackup publish(
      VolumeConfig volume, BlockTable table, boolean incremental, BlockUpload.Totals totals)
      throws StorageException {
    lock.refresh();
    put(
        text(volume)
            .complete(
                VolumeConfig.time(lock.targetTime()),
                source.sizeBytes(),
                table,
                incremental,
                totals));
    StoredBackup stored = backups.backup(request.name());
    if (!isSame(table, stored)) {
      throw new StorageException(
          ErrorCode.IO,
          "backup "
              + request.name()
              + ": the target returns another configuration than was written");
    }
    return stored;
  }

  private boolean isSame(BlockTable table, StoredBackup stored) {
    BlockList read = stored.blocks();
    if (read.size() != table.count() || stored.volumeSizeBytes() != source.sizeBytes()) {
      return false;
    }
    for (int i = 0; i < read.size(); i++) {
      int index = (int) (read.offset(i) / table.blockSize());
      if (!table.has(index) || !table.hash(index).equals(read.hash(i))) {
        return false;
      }
    }
    return true;
  }

  private WrittenBackup finish(
      VolumeConfig volume,
      StoredBackup stored,
      KnownBlocks known,
      String base,
      String reason,
      BlockUpload.Totals totals)
      throws StorageException {
    lock.refresh();
    BackupSummary summary = stored.summary();
    volume.setLast(summary.name().backup(), summary.snapshotCreatedAt(), known.count());
    String last = backups.volume(summary.name().volume()).lastBackup();
    if (!last.equals(summary.name().backup())) {
      throw new StorageException(
          ErrorCode.IO,
          "volume " + summary.name().volume() + ": the target did not keep its configuration");
    }
    return new WrittenBackup(
        summary, base, reason, totals.readBytes(), totals.newBytes(), totals.repeatedBytes());
  }
}
