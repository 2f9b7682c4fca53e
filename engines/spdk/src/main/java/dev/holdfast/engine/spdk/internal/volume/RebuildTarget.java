package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.replica.LegPlace;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Phase;
import dev.holdfast.engine.spdk.internal.replica.LegToken;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.engine.spdk.internal.replica.SnapshotRecord;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The replica that is rebuilt. For one thread at a time. */
final class RebuildTarget {
  private final ReplicaLeg leg;

  private RebuildTarget(ReplicaLeg leg) {
    this.leg = leg;
  }

  /**
   * Opens the replica and admits this opening to it.
   *
   * @throws StorageException CONFLICT when it has another history; as {@link ReplicaLeg#fence}
   */
  static RebuildTarget open(OpenParts parts, ReplicaLocation location) throws StorageException {
    boolean local = location.nodeId().equals(parts.request().nodeId());
    ReplicaLeg leg =
        local
            ? parts.context().replicas().openAny(location)
            : ReplicaLeg.remote(location, parts.context().nodes().node(location.nodeId()));
    try {
      requireKnown(parts, leg);
      LegRecord.Opening opening = parts.legs().record().opening();
      LegToken token = new LegToken(opening.generation(), opening.session());
      if (local) {
        parts.context().service().exclusively(location, () -> leg.fence(token));
      } else {
        leg.fence(token);
      }
      return new RebuildTarget(leg);
    } catch (StorageException | RuntimeException e) {
      leg.disconnect();
      throw e;
    }
  }

  private static void requireKnown(OpenParts parts, ReplicaLeg leg) throws StorageException {
    LegRecord record = leg.record();
    boolean known =
        record.opening().generation() == 0
            || record.phase() == Phase.REBUILDING
            || parts.members().knew(leg.identity());
    if (!record.owner().volume().equals(parts.request().volume()) || !known) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          leg.place().title()
              + ": was used in a history that this volume does not know: delete the replica");
    }
  }

  /**
   * Returns the replica from which snapshots are copied: one of this node if there is one.
   *
   * @throws StorageException UNSUPPORTED for a clone of which this node has no replica
   */
  static ReplicaLeg source(String volume, SpdkLegs legs) throws StorageException {
    ReplicaLeg source =
        legs.all().stream().filter(leg -> !leg.isRemote()).findFirst().orElse(legs.first());
    if (source.isRemote() && !source.record().owner().content().isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + volume
              + ": its replicas share the content of a source, which only their own nodes can"
              + " copy: attach the volume to a node with a replica");
    }
    return source;
  }

  ReplicaLeg leg() {
    return leg;
  }

  /** Returns the name here of what a name of the source stands for, empty for the empty name. */
  String named(String lvol) {
    return lvol.isEmpty() ? "" : leg.place().named(LegPlace.part(lvol));
  }

  /**
   * Keeps the snapshots that the source has too, and removes everything else. Names the head that
   * is made next.
   */
  void keepSame(LegRecord source) throws StorageException {
    List<SnapshotRecord> kept = new ArrayList<>();
    for (SnapshotRecord one : source.snapshots()) {
      Optional<SnapshotRecord> here =
          leg.record()
              .stored(named(one.lvol()))
              .filter(same -> isSame(one, same) && has(kept, same.parent()));
      here.ifPresent(kept::add);
    }
    String head = leg.place().named(LegPlace.fresh());
    leg.write(
        leg.record().in(Phase.REBUILDING).sized(source.sizeBytes()).headed(head, "").holding(kept));
    leg.removeLeftovers();
    leg.detachSource();
  }

  /** The part of the name is random, so equal names stand for one snapshot. */
  private boolean isSame(SnapshotRecord one, SnapshotRecord here) {
    return here.name().equals(one.name())
        && here.created().equals(one.created())
        && here.parent().equals(named(one.parent()));
  }

  private static boolean has(List<SnapshotRecord> kept, String lvol) {
    return lvol.isEmpty() || kept.stream().anyMatch(one -> one.lvol().equals(lvol));
  }

  boolean has(SnapshotRecord source) {
    return leg.record().stored(named(source.lvol())).isPresent();
  }

  /** Makes the head, which reads through a device of its target. */
  void makeHead(String device) throws StorageException {
    leg.lvols().copyOf(device, leg.place().store(), leg.record().head());
  }

  /**
   * Removes the head, which no mirror uses any more. Its device must be there still: SPDK v26.05
   * ends with a segmentation fault when a head is deleted whose device was detached under it.
   */
  void dropHead() throws StorageException {
    boolean unused = leg.remove(leg.record().head());
  }

  /** Makes a volume that receives what a snapshot of the source itself has. */
  String makeLayer(SnapshotRecord source) throws StorageException {
    String name = leg.place().named(LegPlace.fresh());
    String parent = named(source.parent());
    if (parent.isEmpty()) {
      leg.lvols().create(leg.place().store(), name, source.sizeBytes());
    } else {
      leg.lvols().copy(leg.place().alias(parent), name);
      leg.lvols().resize(leg.place().alias(name), source.sizeBytes());
    }
    return name;
  }

  /** Makes a complete layer a snapshot. */
  void keepLayer(String layer, SnapshotRecord source) throws StorageException {
    String name = named(source.lvol());
    leg.lvols().snapshot(leg.place().alias(layer), name);
    List<SnapshotRecord> all = new ArrayList<>(leg.record().snapshots());
    all.add(
        new SnapshotRecord(
            name,
            source.name(),
            named(source.parent()),
            source.removed(),
            source.userCreated(),
            source.created(),
            source.labels(),
            source.sizeBytes()));
    leg.write(leg.record().holding(all));
    boolean unused = leg.remove(layer);
  }

  /** Lets the head stand on the copied snapshots. */
  void complete(LegRecord source) throws StorageException {
    String parent = named(source.headParent());
    leg.lvols().setParent(leg.head(), leg.place().alias(parent));
    leg.write(leg.record().headed(leg.record().head(), parent).in(Phase.READY));
  }
}
