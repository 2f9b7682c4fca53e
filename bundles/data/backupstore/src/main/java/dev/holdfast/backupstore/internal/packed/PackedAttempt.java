package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.backupstore.VolumeLock;
import dev.holdfast.backupstore.WrittenBackup;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One attempt to write a backup, under the lock of its volume.
 *
 * <pre>
 *   format.json -> packs -> map -> manifest -> read back
 * </pre>
 */
final class PackedAttempt {
  /** Changes are written as a full map when they are more than this part of one. */
  private static final int FULL_MAP_PART = 4;

  private final ObjectStore store;
  private final PackedBackups backups;
  private final VolumeLock lock;
  private final BackupRequest request;
  private final BackupSource source;
  private final int threads;
  private final String subject;

  /** The last backup of the volume, or why it cannot be used. */
  private record Last(Optional<PackedBackups.Read> backup, String reason) {}

  PackedAttempt(
      ObjectStore store, VolumeLock lock, BackupRequest request, BackupSource source, int threads) {
    this.store = store;
    this.backups = new PackedBackups(store);
    this.lock = lock;
    this.request = request;
    this.source = source;
    this.threads = threads;
    this.subject = "backup " + request.name();
  }

  WrittenBackup run(LonghornBackupWriter.Progress progress) throws StorageException {
    PackedFormat format = format();
    Map<BackupName, StoredObject> configs = backups.configs(request.name().volume());
    PackedPool pool = PackedPool.list(store, format);
    Optional<StoredObject> present = Optional.ofNullable(configs.get(request.name()));
    if (present.isPresent()) {
      PackedBackups.Read read = backups.read(request.name(), present.get(), format);
      if (pool.hasAll(read.manifest().packs())) {
        return new WrittenBackup(read.manifest().summary(), "", "the target has it", 0, 0, 0);
      }
    }
    Last last = last(configs, format);
    if (!request.full()) {
      pool.know(last.backup().map(PackedBackups.Read::chunks).orElse(ChunkList.EMPTY));
    }
    return write(format, last, pool, progress);
  }

  private PackedFormat format() throws StorageException {
    String volume = request.name().volume();
    Optional<PackedFormat> present = PackedFormat.read(store, volume);
    PackedFormat format =
        present.isPresent()
            ? present.get()
            : PackedFormat.create(
                store, volume, source.sizeBytes(), request.compression(), lock.targetTime());
    if (Manifest.chunksOf(source.sizeBytes(), format.chunkSize()) > ChunkMap.MOST_CHUNKS) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          subject
              + ": size "
              + source.sizeBytes()
              + ": the packed backups of the volume have chunks of "
              + format.chunkSize()
              + " bytes, at most "
              + ChunkMap.MOST_CHUNKS
              + ": use another target");
    }
    return format;
  }

  /** Returns the newest backup that can be read. */
  private Last last(Map<BackupName, StoredObject> configs, PackedFormat format)
      throws StorageException {
    if (configs.isEmpty()) {
      return new Last(Optional.empty(), "the target has no earlier backup of the volume");
    }
    List<BackupName> names = new ArrayList<>(configs.keySet());
    BackupName newest = names.get(names.size() - 1);
    try {
      return new Last(Optional.of(backups.read(newest, configs.get(newest), format)), "");
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

  private String reasonAgainst(Last last) throws StorageException {
    if (request.full()) {
      return "a full backup was requested";
    }
    if (last.backup().isEmpty()) {
      return last.reason();
    }
    Manifest manifest = last.backup().get().manifest();
    if (!manifest.image().equals(request.image())) {
      return "the last backup is based on another backing image";
    }
    return source.refusesBase(manifest.summary()).orElse("");
  }

  private WrittenBackup write(
      PackedFormat format, Last last, PackedPool pool, LonghornBackupWriter.Progress progress)
      throws StorageException {
    String reason = reasonAgainst(last);
    Optional<PackedBackups.Read> base = reason.isEmpty() ? last.backup() : Optional.empty();
    BitSet chunks = chunks(format, base, pool);
    ChunkUpload upload =
        new ChunkUpload(store, source, format, pool, !request.image().isNone(), lock::targetTime);
    ChunkList changes =
        upload.run(
            chunks,
            threads,
            (done, total) -> {
              lock.keep();
              progress.advanced(done, total);
            });
    int limit = Manifest.chunksOf(source.sizeBytes(), format.chunkSize());
    ChunkList all =
        base.map(PackedBackups.Read::chunks).orElse(ChunkList.EMPTY).with(changes, limit);
    List<Manifest.MapName> maps = maps(format, base, changes, all);
    StoredBackup stored = publish(format, last, base.isPresent(), maps, all);
    BackupSummary summary = stored.summary();
    return new WrittenBackup(
        summary,
        base.map(found -> found.manifest().summary().name().backup()).orElse(""),
        reason,
        upload.readBytes(),
        request.full() ? 0 : upload.sentBytes(),
        request.full() ? upload.sentBytes() : 0);
  }

  /** Returns the numbers of the chunks that are read. */
  private BitSet chunks(PackedFormat format, Optional<PackedBackups.Read> base, PackedPool pool)
      throws StorageException {
    BitSet chunks = new BitSet();
    int size = format.chunkSize();
    BackupSource.RangeVisitor mark = (offset, length) -> mark(chunks, offset, length, size);
    if (base.isPresent()) {
      BackupSummary summary = base.get().manifest().summary();
      source.changedSince(summary, mark);
      if (summary.volumeSizeBytes() != source.sizeBytes()) {
        // The last chunk of either size may hold bytes of one and padding of the other.
        mark(chunks, summary.volumeSizeBytes() - 1, 1, size);
        mark(chunks, source.sizeBytes() - 1, 1, size);
      }
      pool.markMissing(chunks, base.get().chunks());
    } else if (request.image().isNone()) {
      source.allocated(mark);
    } else {
      source.aboveImage(mark);
    }
    return chunks;
  }

  private void mark(BitSet chunks, long offset, long length, int size) {
    long end = Math.min(offset + length, source.sizeBytes());
    if (offset < end) {
      chunks.set((int) (offset / size), (int) ((end - 1) / size) + 1);
    }
  }

  /** Writes the map of this backup; returns it behind those that it continues. */
  private List<Manifest.MapName> maps(
      PackedFormat format, Optional<PackedBackups.Read> base, ChunkList changes, ChunkList all)
      throws StorageException {
    List<Manifest.MapName> maps = new ArrayList<>();
    base.ifPresent(found -> maps.addAll(found.manifest().maps()));
    if (!maps.isEmpty() && changes.size() == 0) {
      return maps;
    }
    long changed = changes.size();
    for (int i = 1; i < maps.size(); i++) {
      changed += maps.get(i).entries();
    }
    boolean full =
        maps.isEmpty()
            || maps.size() == Manifest.MOST_MAPS
            || changed > maps.get(0).entries() / FULL_MAP_PART;
    if (full) {
      maps.clear();
    }
    ChunkList written = full ? all : changes;
    ChunkMap form = new ChunkMap(subject, format.chunkSize(), ChunkMap.MOST_CHUNKS);
    ChunkMap.Text text = form.text(written, full);
    String id = Ulid.of(lock.targetTime());
    store.put(PackedKeys.map(format.volume(), id), text.parts(), PutOptions.REPLACE);
    maps.add(new Manifest.MapName(id, written.size(), text.sha256()));
    return maps;
  }

  /** Makes the backup visible, and returns what the target then has. */
  private StoredBackup publish(
      PackedFormat format,
      Last last,
      boolean incremental,
      List<Manifest.MapName> maps,
      ChunkList all)
      throws StorageException {
    lock.refresh();
    Instant completed = completed(last);
    Manifest manifest =
        new Manifest(
            new BackupSummary(
                request.name(),
                request.snapshot(),
                request.snapshotUid(),
                request.snapshotCreatedAt().toString(),
                completed.toString(),
                (long) all.size() * format.chunkSize(),
                format.chunkSize(),
                source.sizeBytes(),
                format.compression(),
                incremental,
                request.labels()),
            request.image(),
            maps,
            all.packs(),
            all.size(),
            all.root());
    String key = PackedKeys.manifest(request.name(), completed);
    ByteBuffer text = manifest.text();
    store.put(key, List.of(text), PutOptions.REPLACE);
    return readBack(key, manifest, format);
  }

  /**
   * Returns a whole second behind that of the last backup, whatever the clock of the target says.
   */
  private Instant completed(Last last) {
    Instant now = lock.targetTime();
    Instant before =
        last.backup()
            .flatMap(found -> BackupSummary.time(found.manifest().summary().createdAt()))
            .orElse(Instant.EPOCH);
    return Instant.ofEpochSecond(Math.max(now.getEpochSecond(), before.getEpochSecond() + 1));
  }

  private StoredBackup readBack(String key, Manifest manifest, PackedFormat format)
      throws StorageException {
    StoredObject object =
        store
            .stat(key)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.IO, subject + ": the target did not keep its manifest"));
    PackedBackups.Read read = backups.read(request.name(), object, format);
    if (!read.manifest().equals(manifest)) {
      throw new StorageException(
          ErrorCode.IO, subject + ": the target returns another manifest than was written");
    }
    if (!PackedPool.list(store, format).hasAll(manifest.packs())) {
      // A deletion may have taken them after the lease of this writer ended.
      store.delete(List.of(key));
      throw new StorageException(
          ErrorCode.IO, subject + ": the target has lost a pack of it: write it again");
    }
    return read.stored();
  }
}
