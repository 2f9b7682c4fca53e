package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.spdk.internal.calls.LvolInfo;
import dev.holdfast.engine.spdk.internal.replica.LegPlace;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.engine.spdk.internal.replica.SnapshotRecord;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots of an open volume. The record is written after a snapshot was made and before one is
 * removed. The monitor of the volume guards it.
 */
final class SpdkSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(SpdkSnapshots.class);

  private final SpdkLegs legs;
  private final SpdkDevice device;
  private final SpdkQuiesce quiesce;
  private final SpdkSnapshotReaders readers;
  private String pinned = "";

  SpdkSnapshots(SpdkLegs legs, SpdkDevice device, SpdkQuiesce quiesce) {
    this.legs = legs;
    this.device = device;
    this.quiesce = quiesce;
    this.readers = new SpdkSnapshotReaders(legs);
  }

  SpdkSnapshotReaders readers() {
    return readers;
  }

  private LegRecord record() {
    return legs.record();
  }

  /** Returns a snapshot by its name. */
  SnapshotRecord require(String name) throws StorageException {
    return record()
        .snapshot(name)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND, "volume " + legs.volume() + " has no snapshot " + name));
  }

  /**
   * Makes a snapshot of the same moment on all legs. SPDK makes one between two requests, so a
   * single leg needs no hold.
   */
  SnapshotInfo create(SnapshotRequest request) throws StorageException {
    if (record().snapshot(request.name()).isEmpty()) {
      String part = LegPlace.fresh();
      if (legs.all().size() == 1) {
        take(part);
      } else {
        quiesce.run(() -> take(part));
      }
      for (ReplicaLeg leg : legs.all()) {
        leg.write(leg.record().with(made(request, leg, part)));
      }
    }
    return info(require(request.name()));
  }

  private boolean isUsed(SnapshotRecord one) {
    return readers.isRead(one.lvol()) || LegPlace.part(one.lvol()).equals(pinned);
  }

  /** Keeps the snapshot of a name in the store although it is deleted, empty for none. */
  void pin(String part) {
    pinned = part;
  }

  /** If one leg fails, none has the snapshot. */
  void take(String part) throws StorageException {
    List<ReplicaLeg> done = new ArrayList<>();
    try {
      for (ReplicaLeg leg : legs.all()) {
        leg.lvols().snapshot(leg.head(), leg.place().named(part));
        done.add(leg);
      }
    } catch (StorageException e) {
      for (ReplicaLeg leg : done) {
        undo(leg, leg.place().named(part), e);
      }
      throw e;
    }
  }

  private static void undo(ReplicaLeg leg, String lvol, StorageException failure) {
    try {
      boolean unused = leg.remove(lvol);
    } catch (StorageException e) {
      failure.addSuppressed(e); // no record names it, so the next opening removes it
    }
  }

  private static SnapshotRecord made(SnapshotRequest request, ReplicaLeg leg, String part) {
    return new SnapshotRecord(
        leg.place().named(part),
        request.name(),
        leg.record().headParent(),
        false,
        request.userCreated(),
        request.created(),
        request.labels(),
        leg.record().sizeBytes());
  }

  List<SnapshotInfo> list() throws StorageException {
    List<SnapshotInfo> all = new ArrayList<>();
    for (SnapshotRecord one : record().snapshots()) {
      all.add(info(one));
    }
    return all;
  }

  private SnapshotInfo info(SnapshotRecord one) throws StorageException {
    List<String> children = new ArrayList<>();
    for (SnapshotRecord other : record().snapshots()) {
      if (other.parent().equals(one.lvol())) {
        children.add(other.name());
      }
    }
    if (record().headParent().equals(one.lvol())) {
      children.add(SnapshotInfo.HEAD);
    }
    Optional<LvolInfo> stored = legs.first().lvol(one.lvol());
    return new SnapshotInfo(
        one.name(),
        record().stored(one.parent()).map(SnapshotRecord::name).orElse(""),
        children,
        one.removed(),
        one.userCreated(),
        one.created(),
        one.labels(),
        stored.map(LvolInfo::usedBytes).orElse(0L),
        "",
        one.removed() && stored.filter(lvol -> lvol.clones().size() > 1).isPresent());
  }

  void delete(String name) throws StorageException {
    for (ReplicaLeg leg : legs.all()) {
      Optional<SnapshotRecord> present = leg.record().snapshot(name);
      if (present.isPresent()) {
        leg.write(leg.record().withRemoved(present.get()));
      }
    }
    purge();
  }

  /** Removes the deleted snapshots on which at most one other stands; each may free others. */
  void purge() throws StorageException {
    for (ReplicaLeg leg : legs.all()) {
      boolean progress = true;
      while (progress) {
        progress = false;
        for (SnapshotRecord one : leg.record().snapshots()) {
          if (one.removed() && !isUsed(one) && leg.remove(one.lvol())) {
            leg.write(leg.record().without(one));
            progress = true;
          }
        }
      }
    }
  }

  /**
   * Completes deletions that were interrupted, of a volume that serves already. No rebuild runs, so
   * the snapshot of one that the end of the target interrupted is removed too.
   */
  void purgeRest() {
    pin("");
    try {
      purge();
    } catch (StorageException e) {
      LOG.warn(
          "volume {}: deleted snapshots are not removed yet: {}", legs.volume(), e.getMessage());
    }
  }

  /**
   * Makes a new live content that stands on a snapshot, on all legs. The records name it before the
   * present one is removed.
   */
  void revert(String name) throws StorageException {
    SnapshotRecord shown = require(name);
    String part = LegPlace.fresh();
    long size = record().sizeBytes();
    for (ReplicaLeg leg : legs.all()) {
      String next = leg.place().named(part);
      leg.lvols().copy(leg.place().alias(stored(leg, name).lvol()), next);
      if (size > shown.sizeBytes()) {
        leg.lvols().resize(leg.place().alias(next), size);
      }
    }
    List<String> former = legs.all().stream().map(leg -> leg.record().head()).toList();
    quiesce.run(
        () -> {
          legs.remake(
              () -> {
                for (ReplicaLeg leg : legs.all()) {
                  String next = leg.place().named(part);
                  leg.write(leg.record().headed(next, stored(leg, name).lvol()));
                }
              });
          device.replace(legs.loopback().connect(legs.nqn()), size);
        });
    for (int i = 0; i < former.size(); i++) {
      boolean unused = legs.all().get(i).remove(former.get(i));
    }
    purge();
  }

  private SnapshotRecord stored(ReplicaLeg leg, String name) throws StorageException {
    return leg.record()
        .snapshot(name)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.IO,
                    "volume " + legs.volume() + ": replica " + leg.name() + " lacks " + name));
  }

  BlockDevice open(String name) throws StorageException {
    return readers.open(name);
  }
}
