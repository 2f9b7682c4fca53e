package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.spdk.internal.calls.LvolInfo;
import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.data.Identity;
import dev.holdfast.engine.spdk.internal.data.Loopback;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.LegShown;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The current replicas of an open volume, the mirror over them where there are several, and the
 * subsystem that shows the content: to this engine by the loopback address, and to hosts by a
 * listener of its own. The monitor of the volume guards it.
 */
final class SpdkLegs {
  private final SpdkContext context;
  private final String volume;
  private final String nqn;
  private final String mirror;
  private final RemoteLegs remote;
  private List<ReplicaLeg> legs;
  private Optional<ReplicaLeg> joining = Optional.empty();
  private boolean mirrored;

  SpdkLegs(SpdkContext context, String volume, List<ReplicaLeg> legs) {
    this.context = context;
    this.volume = volume;
    this.legs = List.copyOf(legs);
    this.nqn = Identity.subsystem(volume);
    this.mirror = Identity.mirror(volume);
    this.remote =
        new RemoteLegs(
            context.controllers(), volume, context.loopback().host(), context.service().keys());
  }

  List<ReplicaLeg> all() {
    return legs;
  }

  /** Returns the leg whose record stands for all. */
  ReplicaLeg first() {
    return legs.get(0);
  }

  LegRecord record() {
    return first().record();
  }

  RemoteLegs remote() {
    return remote;
  }

  /** Returns the legs on other nodes. */
  List<ReplicaLeg> remotes() {
    return legs.stream().filter(ReplicaLeg::isRemote).toList();
  }

  Loopback loopback() {
    return context.loopback();
  }

  Subsystems subsystems() {
    return context.loopback().subsystems();
  }

  String nqn() {
    return nqn;
  }

  String volume() {
    return volume;
  }

  /** Returns the name by which the target knows the live content. */
  String device() {
    return mirrored ? mirror : device(first());
  }

  private String device(ReplicaLeg leg) {
    return leg.isRemote() ? remote.device(leg, leg.record().head()) : leg.head();
  }

  /** Changes the records of all legs in the same way. */
  void write(UnaryOperator<LegRecord> change) throws StorageException {
    for (ReplicaLeg leg : legs) {
      leg.write(change.apply(leg.record()));
    }
  }

  /** Returns the legs that get writes: the current ones, and one that is rebuilt. */
  private List<ReplicaLeg> written() {
    return Stream.concat(legs.stream(), joining.stream()).toList();
  }

  /** Returns the leg that is rebuilt. */
  Optional<ReplicaLeg> joining() {
    return joining;
  }

  /** Sets the leg that is rebuilt, for the next {@link #remake}. */
  void join(Optional<ReplicaLeg> leg) {
    joining = leg;
  }

  /** Counts the leg that was rebuilt among the current ones. */
  void admit() {
    legs = written();
    joining = Optional.empty();
  }

  private void assemble() throws StorageException {
    List<ReplicaLeg> all = written();
    mirrored = all.size() > 1;
    List<String> devices = new ArrayList<>();
    for (ReplicaLeg leg : all) {
      devices.add(leg.isRemote() ? remote.attach(leg, leg.record().head()) : leg.head());
    }
    if (mirrored) {
      context.raids().create(mirror, Identity.of(nqn).uuid().toString(), devices);
    }
  }

  private static String uuid(ReplicaLeg leg) throws StorageException {
    String head = leg.record().head();
    return leg.isRemote()
        ? RemoteLegs.uuid(leg, head)
        : leg.lvol(head).map(LvolInfo::uuid).orElse("");
  }

  /** Returns the legs that the mirror has dropped by itself. */
  List<ReplicaLeg> dropped() throws StorageException {
    List<ReplicaLeg> dropped = new ArrayList<>();
    Optional<Set<String>> present = mirrored ? context.raids().legs(mirror) : Optional.empty();
    if (present.isPresent()) {
      for (ReplicaLeg leg : legs) {
        if (!present.get().contains(uuid(leg))) {
          dropped.add(leg);
        }
      }
    }
    return dropped;
  }

  /**
   * Returns whether the target still has the mirror over all legs, and so has run since it was
   * made. Then each write is on all of them or on none.
   */
  private boolean isIntact() throws StorageException {
    Set<String> present = context.raids().legs(mirror).orElse(Set.of());
    for (ReplicaLeg leg : legs) {
      if (!present.contains(uuid(leg))) {
        return false;
      }
    }
    return present.size() == legs.size();
  }

  /** Continues without a leg, after that was decided. The mirror stays with the other legs. */
  void forget(ReplicaLeg leg) throws StorageException {
    legs = legs.stream().filter(one -> one != leg).toList();
    if (leg.isRemote()) {
      remote.detachAll(leg);
    }
  }

  /**
   * Removes what an earlier opening serves on this node.
   *
   * @return whether the target had the mirror over all legs until then
   */
  boolean withdrawIntact() throws StorageException {
    context.replicas().remains().removeSubsystem(volume);
    boolean intact = isIntact();
    context.replicas().remains().removeMirror(volume);
    return intact;
  }

  /** Continues with other objects of the same replicas, or of some of them, and with no other. */
  void replace(List<ReplicaLeg> next) {
    legs = List.copyOf(next);
    joining = Optional.empty();
  }

  /** Shows the live content in place of what an earlier opening left, and connects. */
  BlockDevice serve() throws StorageException {
    withdraw();
    assemble();
    loopback().expose(nqn, device(), Identity.of(nqn));
    return loopback().connect(nqn);
  }

  /** Connects to what is shown already; an earlier engine is disconnected. */
  BlockDevice takeOver() throws StorageException {
    Optional<TargetSubsystem> present = subsystems().find(nqn);
    if (present.isEmpty() || present.get().device().isEmpty()) {
      return serve(); // a restart of the target, or an operation that was interrupted
    }
    mirrored = context.raids().legs(mirror).isPresent();
    loopback().takeOver(nqn);
    return loopback().connect(nqn);
  }

  /** A change of legs or contents. */
  interface Change {
    void run() throws StorageException;
  }

  /** Fails unless the nodes of all legs can be asked and show them. */
  void requireReachable() throws StorageException {
    for (ReplicaLeg leg : written()) {
      if (leg.isRemote()) {
        LegShown unused = remote.show(leg, leg.record().head());
      }
    }
  }

  /** Makes a change while no content is shown. Hosts stay connected; they must be held. */
  void remake(Change change) throws StorageException {
    requireReachable();
    if (!subsystems().require(nqn).device().isEmpty()) {
      subsystems().removeNamespace(nqn);
    }
    try {
      if (mirrored) {
        context.raids().delete(mirror);
      }
      for (ReplicaLeg leg : written()) {
        if (leg.isRemote()) {
          remote.detach(leg, leg.record().head());
        }
      }
      change.run();
    } finally {
      assemble();
      Identity identity = Identity.of(nqn);
      subsystems().addNamespace(nqn, device(), identity.nguid(), identity.uuid().toString());
    }
  }

  /** Removes the subsystem and the mirror: no request reaches the live content any more. */
  void withdraw() throws StorageException {
    context.replicas().remains().remove(volume);
  }
}
