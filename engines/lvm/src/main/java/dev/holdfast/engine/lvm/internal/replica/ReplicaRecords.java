package dev.holdfast.engine.lvm.internal.replica;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/** Records of replicas in the store. Callers see to it that one thread at a time changes one. */
public final class ReplicaRecords {
  private static final int ATTEMPTS = 5;

  private final EngineRecords records;

  /** Works on the records of the engine. */
  public ReplicaRecords(EngineRecords records) {
    this.records = records;
  }

  private static String name(ReplicaPlace place) {
    return "replica." + place.groupId() + "." + place.key();
  }

  /**
   * Reads a record.
   *
   * @return the record, empty when there is none
   * @throws StorageException INVALID when another replica is in its place; UNREACHABLE
   */
  public Optional<LvmReplica> read(ReplicaPlace place) throws StorageException {
    Optional<EngineRecord> stored = records.read(name(place));
    if (stored.isEmpty()) {
      return Optional.empty();
    }
    LvmReplica record = parse(place, stored.get());
    if (!record.volume().equals(place.location().volume())
        || !record.replica().equals(place.location().replica())) {
      throw new StorageException(
          ErrorCode.INVALID,
          "replica "
              + place.location().replica()
              + ": replica "
              + record.replica()
              + " of volume "
              + record.volume()
              + " is in its place "
              + place.location().directoryName()
              + " of volume group "
              + place.group());
    }
    return Optional.of(record);
  }

  private static LvmReplica parse(ReplicaPlace place, EngineRecord stored) throws StorageException {
    String what = "record of replica " + place.location().replica();
    return ReplicaFormat.read(what, ReplicaFormat.parse(what, stored.value()));
  }

  /**
   * Creates or replaces a record.
   *
   * @throws StorageException INVALID when it is too large; CONFLICT when another program changed it
   */
  public void write(ReplicaPlace place, LvmReplica next) throws StorageException {
    byte[] value = ReplicaFormat.bytes(ReplicaFormat.write(next));
    if (value.length > EngineRecords.LARGEST_VALUE) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + next.volume()
              + ": the names and labels of its "
              + next.snapshots().size()
              + " snapshots need more than "
              + EngineRecords.LARGEST_VALUE
              + " bytes: delete a snapshot");
    }
    Optional<EngineRecord> before = records.read(name(place));
    EngineRecord after =
        before.isPresent() ? before.get().next(value) : EngineRecord.first(name(place), value);
    for (int attempt = 1; ; attempt++) {
      try {
        if (!records.compareAndSet(before, after)) {
          throw new StorageException(
              ErrorCode.CONFLICT,
              "record of replica " + next.replica() + " was changed by another program: try again");
        }
        return;
      } catch (StorageException e) {
        boolean unknown = e.code() == ErrorCode.UNREACHABLE || e.code() == ErrorCode.TIMEOUT;
        if (!unknown || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Removes a record; succeeds when it is absent.
   *
   * @throws StorageException CONFLICT when another program changed it; UNREACHABLE
   */
  public void delete(ReplicaPlace place) throws StorageException {
    Optional<EngineRecord> before = records.read(name(place));
    if (before.isPresent() && !records.delete(before.get())) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "record of replica "
              + place.location().replica()
              + " was changed by another program: try again");
    }
  }
}
