package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.spdk.internal.calls.Lvols;
import dev.holdfast.engine.spdk.internal.data.Loopback;
import dev.holdfast.engine.spdk.internal.data.SharedDevices;
import dev.holdfast.engine.spdk.internal.disk.SpdkDisks;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Opening;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Owner;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Phase;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Replicas of the disks of this node. The record is made before the first and removed after the
 * last volume of a replica, so that an interrupted call leaves nothing that is not found again.
 * Thread-safe for different replicas.
 */
public final class SpdkReplicas {
  private final SpdkDisks disks;
  private final Lvols lvols;
  private final SharedDevices records;
  private final VolumeRemains remains;

  /** Creates the replicas of a target. */
  public SpdkReplicas(SpdkDisks disks, Lvols lvols, Loopback loopback, VolumeRemains remains) {
    this.remains = remains;
    this.disks = disks;
    this.lvols = lvols;
    this.records = new SharedDevices(loopback);
  }

  private LegPlace place(ReplicaLocation location) throws StorageException {
    return new LegPlace(location, disks.require(location.disk()));
  }

  private Optional<ReplicaLeg> find(ReplicaLocation location) throws StorageException {
    return ReplicaLeg.find(place(location), lvols, records);
  }

  /** Returns whether the creation of a replica was completed and its deletion was not begun. */
  private static boolean isReady(ReplicaLeg stored) {
    return stored
        .found()
        .filter(one -> one.phase() == Phase.READY || one.phase() == Phase.REBUILDING)
        .isPresent();
  }

  /**
   * Opens a replica that is complete.
   *
   * @return with a connection to its record, which the caller ends
   * @throws StorageException NOT_FOUND when it is not there
   */
  public ReplicaLeg open(ReplicaLocation location) throws StorageException {
    ReplicaLeg leg = openAny(location);
    if (leg.record().phase() == Phase.REBUILDING) {
      leg.close();
      throw new StorageException(ErrorCode.NOT_FOUND, leg.place().title() + ": is not rebuilt");
    }
    return leg;
  }

  /** As {@link #open}, also for a replica whose rebuild was not completed. */
  public ReplicaLeg openAny(ReplicaLocation location) throws StorageException {
    Optional<ReplicaLeg> found = find(location);
    if (found.isPresent() && isReady(found.get())) {
      requireOwner(found.get(), location);
      return found.get();
    }
    if (found.isPresent()) {
      found.get().close();
    }
    throw new StorageException(
        ErrorCode.NOT_FOUND,
        "volume "
            + location.volume()
            + ": replica "
            + location.replica()
            + " is not on disk "
            + location.diskPath());
  }

  private static void requireOwner(ReplicaLeg stored, ReplicaLocation location)
      throws StorageException {
    Owner owner = stored.record().owner();
    if (!owner.volume().equals(location.volume()) || !owner.replica().equals(location.replica())) {
      stored.close();
      throw new StorageException(
          ErrorCode.INVALID,
          "replica "
              + location.replica()
              + ": its place "
              + location.directoryName()
              + " holds replica "
              + owner.replica()
              + " of volume "
              + owner.volume());
    }
  }

  /** As {@link dev.holdfast.engine.EngineProvider#inspectReplica}. */
  public Optional<ReplicaInfo> inspect(ReplicaLocation location) throws StorageException {
    Optional<ReplicaLeg> found = find(location);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try (ReplicaLeg stored = found.get()) {
      if (!isReady(stored)) {
        return Optional.empty();
      }
      LegRecord record = stored.record();
      return Optional.of(
          new ReplicaInfo(record.sizeBytes(), stored.usedBytes(), record.opening().clean()));
    }
  }

  /** Makes the live content of a new replica. */
  private interface Content {
    void make(LegPlace place, String head) throws StorageException;
  }

  /** Makes a replica that reads as zeroes. Succeeds when it is there. */
  public void createEmpty(ReplicaLocation location, long sizeBytes) throws StorageException {
    create(location, sizeBytes, "", (place, head) -> lvols.create(place.store(), head, sizeBytes));
  }

  /** Makes a replica that stands on a snapshot of an open volume. Succeeds when it is there. */
  public void createClone(
      ReplicaLocation location, long sizeBytes, SnapshotContent content, ReplicaLeg source)
      throws StorageException {
    if (!place(location).store().equals(source.place().store())) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "replica "
              + location.replica()
              + ": its source is on another disk, so nothing can be shared: copy it instead");
    }
    SnapshotRecord snapshot =
        source
            .record()
            .snapshot(content.snapshot())
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND,
                        "volume "
                            + content.source().volume()
                            + " has no snapshot "
                            + content.snapshot()));
    if (sizeBytes < snapshot.sizeBytes()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "replica "
              + location.replica()
              + ": size "
              + sizeBytes
              + " is smaller than that of snapshot "
              + snapshot.name()
              + ", "
              + snapshot.sizeBytes());
    }
    create(
        location,
        sizeBytes,
        content.id(),
        (place, head) -> {
          lvols.copy(place.alias(snapshot.lvol()), head);
          if (sizeBytes > snapshot.sizeBytes()) {
            lvols.resize(place.alias(head), sizeBytes);
          }
        });
  }

  private void create(ReplicaLocation location, long sizeBytes, String content, Content made)
      throws StorageException {
    LegPlace place = place(location);
    Optional<ReplicaLeg> present = ReplicaLeg.find(place, lvols, records);
    if (present.isPresent()) {
      if (isReady(present.get())) {
        requireSame(present.get(), location, sizeBytes, content);
        return;
      }
      removeAll(present.get());
    }
    lvols.create(place.store(), place.meta(), RecordSlots.SIZE);
    ReplicaLeg stored = ReplicaLeg.find(place, lvols, records).orElseThrow();
    try (stored) {
      LegRecord record =
          new LegRecord(
              new Owner(
                  location.volume(), location.replica(), UUID.randomUUID().toString(), content),
              sizeBytes,
              Phase.CREATING,
              place.named(LegPlace.fresh()),
              "",
              Opening.NONE,
              List.of());
      stored.write(record);
      made.make(place, record.head());
      stored.write(record.in(Phase.READY));
    }
  }

  private static void requireSame(
      ReplicaLeg stored, ReplicaLocation location, long sizeBytes, String content)
      throws StorageException {
    requireOwner(stored, location);
    try (stored) {
      LegRecord record = stored.record();
      if (record.sizeBytes() != sizeBytes || !record.owner().content().equals(content)) {
        throw new StorageException(
            ErrorCode.INVALID,
            stored.place().title()
                + ": is there with size "
                + record.sizeBytes()
                + " and another content, size "
                + sizeBytes
                + " is requested: delete it first");
      }
    }
  }

  private static void removeAll(ReplicaLeg stored) throws StorageException {
    stored.removeContents();
    stored.removeRecord();
  }

  /**
   * Removes a replica that no opening uses. Succeeds when it is gone.
   *
   * @param served whether other replicas of the volume are in use
   */
  public void delete(ReplicaLocation location, boolean served) throws StorageException {
    Optional<ReplicaLeg> found = find(location);
    if (found.isEmpty()) {
      return;
    }
    ReplicaLeg stored = found.get();
    if (isReady(stored)) {
      requireOwner(stored, location);
      stored.write(stored.record().in(Phase.DELETING));
    }
    if (!served) {
      remains.remove(location.volume());
    }
    removeAll(stored);
  }

  /** Returns what openings leave at the target of this node. */
  public VolumeRemains remains() {
    return remains;
  }
}
