package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LogicalVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Records of the pools of one group in the store. One thread at a time changes a record. */
final class PoolRecords {
  private static final int ATTEMPTS = 5;

  private final EngineRecords records;
  private final String prefix;

  /** Works on the records of a group, whose name may be given to another one later. */
  PoolRecords(EngineRecords records, String groupUuid) {
    this.records = records;
    UUID id = UUID.nameUUIDFromBytes(groupUuid.getBytes(StandardCharsets.UTF_8));
    this.prefix = "pool." + id + ".";
  }

  /** One version of a pool's record. */
  record Version(EngineRecord stored, PoolRecord pool) {
    static Version of(EngineRecord stored) throws StorageException {
      return new Version(stored, RecordFormat.read(stored.name(), stored.value()));
    }
  }

  List<Version> all() throws StorageException {
    List<Version> found = new ArrayList<>();
    for (EngineRecord stored : records.list(prefix)) {
      found.add(Version.of(stored));
    }
    return found;
  }

  Optional<Version> read(String id) throws StorageException {
    Optional<EngineRecord> stored = records.read(prefix + id);
    return stored.isEmpty() ? Optional.empty() : Optional.of(Version.of(stored.get()));
  }

  /**
   * Returns the record that has a blob.
   *
   * @param volumes of the group; they only tell where to look first
   */
  Optional<Version> having(Blob blob, Map<String, LogicalVolume> volumes) throws StorageException {
    LogicalVolume volume = volumes.get(BlobNames.volume(blob.name()));
    boolean inPool = volume != null && volume.isThin();
    return having(blob.name(), inPool ? BlobNames.poolId(volume.pool()) : blob.name());
  }

  /**
   * Returns the record that has a blob.
   *
   * @param likely the pool in which it probably is
   */
  Optional<Version> having(String blob, String likely) throws StorageException {
    Optional<Version> first = read(likely).filter(version -> has(version, blob));
    if (first.isPresent()) {
      return first;
    }
    return all().stream().filter(version -> has(version, blob)).findFirst();
  }

  private static boolean has(Version version, String blob) {
    return version.pool().blob(blob).isPresent();
  }

  Version create(PoolRecord pool) throws StorageException {
    return put(Optional.empty(), EngineRecord.first(prefix + pool.id(), RecordFormat.write(pool)));
  }

  Version replace(Version old, PoolRecord next) throws StorageException {
    return put(Optional.of(old.stored()), old.stored().next(RecordFormat.write(next)));
  }

  void delete(Version old) throws StorageException {
    if (!records.delete(old.stored())) {
      throw conflict(old.stored().name());
    }
  }

  /** A lost answer is asked for again with the same write, as {@link EngineRecords} demands. */
  private Version put(Optional<EngineRecord> expected, EngineRecord next) throws StorageException {
    for (int attempt = 1; ; attempt++) {
      try {
        if (!records.compareAndSet(expected, next)) {
          throw conflict(next.name());
        }
        return Version.of(next);
      } catch (StorageException e) {
        boolean unknown = e.code() == ErrorCode.UNREACHABLE || e.code() == ErrorCode.TIMEOUT;
        if (!unknown || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static StorageException conflict(String name) {
    return new StorageException(
        ErrorCode.CONFLICT, "record " + name + " was changed by another node: try again");
  }
}
