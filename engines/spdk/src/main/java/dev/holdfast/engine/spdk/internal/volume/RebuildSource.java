package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.spdk.internal.calls.LvolInfo;
import dev.holdfast.engine.spdk.internal.data.Loopback;
import dev.holdfast.engine.spdk.internal.replica.LegHost;
import dev.holdfast.engine.spdk.internal.replica.LegShown;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.engine.spdk.internal.replica.SnapshotRecord;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Paths between the replica from which a rebuild copies and the one that is rebuilt. Each of them
 * is on the node of the volume or on another one:
 *
 * <pre>
 *   source  target   head of the target reads J by   layer is written by the source's target
 *   here    here     its name                        by its name
 *   here    there    controller of the target's node controller of this node
 *   there   here     controller of this node         controller of the source's node
 *   there   there    controller of the target's node controller of the source's node
 * </pre>
 *
 * <p>For one thread at a time.
 */
final class RebuildSource {
  private final OpenParts parts;
  private final ReplicaLeg source;
  private final ReplicaLeg target;

  RebuildSource(OpenParts parts, ReplicaLeg source, ReplicaLeg target) {
    this.parts = parts;
    this.source = source;
    this.target = target;
  }

  private LegHost host() throws StorageException {
    return parts.context().service().keys().host(Loopback.freshHost());
  }

  /** Shows a volume of a replica to a target of another node. */
  private LegShown shown(ReplicaLeg leg, String lvol, LegHost host) throws StorageException {
    return leg.isRemote()
        ? leg.expose(lvol, host)
        : parts.context().service().expose(leg, lvol, host);
  }

  /** Returns the snapshot of the join as a device of the target's node. */
  String show(String part) throws StorageException {
    String joint = source.place().named(part);
    if (target.isRemote()) {
      LegHost host = host();
      return target.attachSource(shown(source, joint, host), host);
    }
    return source.isRemote()
        ? parts.legs().remote().attach(source, joint)
        : source.place().alias(joint);
  }

  /** Ends {@link #show}. Succeeds when nothing is shown. */
  void hide(String part) throws StorageException {
    String joint = source.place().named(part);
    target.detachSource();
    if (source.isRemote() && !target.isRemote()) {
      parts.legs().remote().detach(source, joint);
    } else {
      source.hide(joint);
    }
  }

  /** Returns a layer of the target as a device of the source's node. */
  String reach(String layer) throws StorageException {
    if (source.isRemote()) {
      LegHost host = host();
      return source.attachSource(shown(target, layer, host), host);
    }
    return target.isRemote()
        ? parts.legs().remote().attach(target, layer)
        : target.place().alias(layer);
  }

  /** Ends {@link #reach}. */
  void leave(String layer) throws StorageException {
    if (source.isRemote()) {
      source.detachSource();
      target.hide(layer);
    } else if (target.isRemote()) {
      parts.legs().remote().detach(target, layer);
    }
  }

  /**
   * Returns the snapshots whose clusters make up one of the source, the oldest first: what a clone
   * shares with its source counts to its first snapshot.
   */
  List<String> layers(SnapshotRecord one) throws StorageException {
    String alias = source.place().alias(one.lvol());
    List<String> found = new ArrayList<>();
    if (one.parent().isEmpty() && !source.record().owner().content().isEmpty()) {
      found.addAll(source.lvols().ancestors(alias));
      Collections.reverse(found);
    }
    found.add(alias);
    return found;
  }

  /** Returns the bytes that a layer gets. */
  long bytes(SnapshotRecord one) throws StorageException {
    long bytes = 0;
    for (String alias : layers(one)) {
      bytes += source.lvols().find(alias).map(LvolInfo::usedBytes).orElse(0L);
    }
    return bytes;
  }
}
