package dev.holdfast.engine.spdk.internal.replica;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.calls.AttachedLeg;
import dev.holdfast.engine.spdk.internal.calls.LegControllers;
import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.calls.TargetCalls;
import dev.holdfast.engine.spdk.internal.calls.TargetListener;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.data.Identity;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The replicas of this node for the engines of other nodes. Calls about one replica come one after
 * the other, so a fence waits for the calls of the opening that it ends. The promise of a fence is
 * in the record of the replica, so it holds after a restart of this node too. Thread-safe.
 */
public final class LegService implements LegNode {
  private final SpdkReplicas replicas;
  private final TargetCalls target;
  private final Subsystems subsystems;
  private final LegControllers controllers;
  private final TargetListener hosts;
  private final LegKeys keys;
  private final Consumer<String> superseding;
  private final Map<String, Held> held = new ConcurrentHashMap<>();

  /** The connection to the record of one replica. Its monitor orders the calls. */
  private static final class Held {
    private Optional<ReplicaLeg> leg = Optional.empty();

    void drop() {
      leg.ifPresent(ReplicaLeg::disconnect);
      leg = Optional.empty();
    }
  }

  /**
   * Serves the replicas of a node.
   *
   * @param target of this node
   * @param hosts where targets of other nodes reach it
   * @param keys by which targets of the cluster know each other
   * @param superseding ends an opening of a volume, by its name, in the engine of this node
   */
  public LegService(
      SpdkReplicas replicas,
      TargetCalls target,
      TargetListener hosts,
      LegKeys keys,
      Consumer<String> superseding) {
    this.replicas = replicas;
    this.target = target;
    this.subsystems = new Subsystems(target);
    this.controllers = new LegControllers(target);
    this.hosts = hosts;
    this.keys = keys;
    this.superseding = superseding;
  }

  /** Returns the keys by which targets of the cluster know each other. */
  public LegKeys keys() {
    return keys;
  }

  private Held held(ReplicaLocation location) {
    return held.computeIfAbsent(
        location.diskPath() + "/" + location.directoryName(), unused -> new Held());
  }

  private ReplicaLeg opened(Held one, ReplicaLocation location) throws StorageException {
    if (one.leg.isPresent()) {
      try {
        one.leg.get().refresh();
        return one.leg.get();
      } catch (StorageException e) {
        one.drop(); // the target was restarted, or the replica was deleted
      }
    }
    ReplicaLeg leg = replicas.openAny(location);
    one.leg = Optional.of(leg);
    return leg;
  }

  private static StorageException forbidden(LegKey key, String what) {
    return new StorageException(
        ErrorCode.FORBIDDEN,
        "replica " + key.location().replica() + ", opening " + key.token() + ": " + what);
  }

  /** Returns the replica, which its name on the disk alone does not tell. */
  private static ReplicaLeg same(LegKey key, ReplicaLeg leg) throws StorageException {
    if (!leg.place().store().equals(key.store()) || !leg.identity().equals(key.identity())) {
      throw forbidden(key, "its disk holds another replica of this name now");
    }
    return leg;
  }

  private ReplicaLeg admitted(Held one, LegKey key) throws StorageException {
    ReplicaLeg leg = same(key, opened(one, key.location()));
    LegToken last = LegToken.of(leg.record());
    if (!last.equals(key.token())) {
      throw forbidden(key, "opening " + last + " took over");
    }
    return leg;
  }

  @Override
  public LegView look(LegKey key) throws StorageException {
    Held one = held(key.location());
    synchronized (one) {
      ReplicaLeg leg = opened(one, key.location());
      return new LegView(leg.place().store(), leg.record());
    }
  }

  /** An opening of the volume on this node ends too, with what it serves. */
  @Override
  public LegView fence(LegKey key) throws StorageException {
    Held one = held(key.location());
    synchronized (one) {
      ReplicaLeg leg = same(key, opened(one, key.location()));
      if (!LegToken.of(leg.record()).isLaterThan(key.token())) {
        superseding.accept(key.location().volume());
        replicas.remains().remove(key.location().volume());
      }
      leg.fence(key.token());
      return new LegView(leg.place().store(), leg.record());
    }
  }

  /** A step of the engine of this node. */
  public interface Step {
    /** Makes the step. */
    void run() throws StorageException;
  }

  /** Lets the engine of this node fence a replica; no call of another node is served in between. */
  public void exclusively(ReplicaLocation location, Step step) throws StorageException {
    Held one = held(location);
    synchronized (one) {
      one.drop();
      step.run();
    }
  }

  @Override
  public void write(LegKey key, LegRecord record) throws StorageException {
    Held one = held(key.location());
    synchronized (one) {
      ReplicaLeg leg = admitted(one, key);
      if (!record.owner().equals(leg.record().owner())
          || !LegToken.of(record).equals(key.token())) {
        throw forbidden(key, "the record names another owner or opening");
      }
      leg.write(record);
    }
  }

  @Override
  public LegShown expose(LegKey key, String lvol, LegHost host) throws StorageException {
    Held one = held(key.location());
    synchronized (one) {
      ReplicaLeg leg = admitted(one, key);
      requireOwn(key, leg, lvol);
      return expose(leg, lvol, host);
    }
  }

  private static void requireOwn(LegKey key, ReplicaLeg leg, String lvol) throws StorageException {
    if (!leg.place().owns(lvol) || lvol.equals(leg.place().meta())) {
      throw forbidden(key, "volume " + lvol + " is not its own");
    }
  }

  /** Shows a volume of a replica that the engine of this node uses to another node. */
  public LegShown expose(ReplicaLeg leg, String lvol, LegHost host) throws StorageException {
    String nqn = LegPlace.shown(leg.identity(), leg.record().opening().generation(), lvol);
    show(nqn, leg.place().alias(lvol), host);
    return new LegShown(nqn, hosts);
  }

  @Override
  public String attachSource(LegKey key, LegShown source, LegHost host) throws StorageException {
    Held one = held(key.location());
    synchronized (one) {
      ReplicaLeg leg = admitted(one, key);
      String name = LegPlace.source(leg.identity());
      controllers.drop(name);
      controllers.attach(name, source.nqn(), source.listener(), host.nqn(), keys.named(host));
      return AttachedLeg.device(name);
    }
  }

  @Override
  public void detachSource(LegKey key) throws StorageException {
    Held one = held(key.location());
    synchronized (one) {
      controllers.drop(LegPlace.source(admitted(one, key).identity()));
    }
  }

  private void show(String nqn, String device, LegHost host) throws StorageException {
    Optional<TargetSubsystem> present = subsystems.find(nqn);
    if (present.isPresent() && present.get().device().isEmpty()) {
      subsystems.delete(nqn); // an earlier call was interrupted
      present = Optional.empty();
    }
    if (present.isEmpty()) {
      Identity identity = Identity.of(nqn);
      subsystems.create(nqn, identity.serial());
      subsystems.addNamespace(nqn, device, identity.nguid(), identity.uuid().toString());
    }
    TargetSubsystem shown = subsystems.require(nqn);
    for (String other : shown.hosts()) {
      if (!other.equals(host.nqn())) {
        subsystems.reject(nqn, other);
      }
    }
    if (!shown.hosts().contains(host.nqn())) {
      subsystems.admit(nqn, host.nqn(), keys.named(host));
    }
    if (!shown.listeners().contains(hosts)) {
      subsystems.listen(nqn, hosts, true);
    }
  }

  @Override
  public void hide(LegKey key, String lvol) throws StorageException {
    Held one = held(key.location());
    synchronized (one) {
      ReplicaLeg leg = admitted(one, key);
      requireOwn(key, leg, lvol);
      leg.hide(lvol);
    }
  }

  @Override
  public void end(LegKey key) throws StorageException {
    Held one = held(key.location());
    synchronized (one) {
      ReplicaLeg leg = admitted(one, key);
      leg.hide(leg.record().head());
      leg.release();
      one.leg = Optional.empty();
    }
  }

  @Override
  public JsonNode call(LegKey key, String method, ObjectNode params, Duration patience)
      throws StorageException {
    Held one = held(key.location());
    synchronized (one) {
      ReplicaLeg leg = admitted(one, key);
      PermittedCalls.require(leg.place(), leg.identity(), method, params);
      return target.call(method, params, patience);
    }
  }

  /**
   * Returns a replica of this node that another node's volume uses, empty when none does.
   *
   * @return with a connection that stays with this
   */
  public Optional<ReplicaLeg> used(ReplicaLocation location) throws StorageException {
    Held one = held(location);
    synchronized (one) {
      if (one.leg.isEmpty()) {
        return Optional.empty();
      }
      ReplicaLeg leg = opened(one, location);
      String nqn =
          LegPlace.shown(
              leg.identity(), LegToken.of(leg.record()).generation(), leg.record().head());
      return subsystems.find(nqn).isPresent() ? Optional.of(leg) : Optional.empty();
    }
  }

  /** Returns whether a target of another node is connected to a replica of this node. */
  public boolean isConnected(ReplicaLocation location) throws StorageException {
    Held one = held(location);
    synchronized (one) {
      if (one.leg.isEmpty()) {
        return false;
      }
      String identity = opened(one, location).identity();
      for (TargetSubsystem shown : subsystems.all()) {
        if (LegPlace.shows(shown.nqn(), identity) && subsystems.isConnected(shown.nqn())) {
          return true;
        }
      }
      return false;
    }
  }

  /** Ends all connections; what is shown to other nodes stays. */
  public void stop() {
    for (Held one : held.values()) {
      synchronized (one) {
        one.drop();
      }
    }
  }
}
