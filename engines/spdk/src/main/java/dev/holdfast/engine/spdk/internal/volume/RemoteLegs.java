package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.spdk.internal.calls.AttachedLeg;
import dev.holdfast.engine.spdk.internal.calls.LegControllers;
import dev.holdfast.engine.spdk.internal.data.Identity;
import dev.holdfast.engine.spdk.internal.replica.LegHost;
import dev.holdfast.engine.spdk.internal.replica.LegKeys;
import dev.holdfast.engine.spdk.internal.replica.LegPlace;
import dev.holdfast.engine.spdk.internal.replica.LegShown;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Volumes of replicas on other nodes as devices of this node's target. All names follow from the
 * replica, the generation and the volume, so that the next engine finds what this one attached. The
 * monitor of the volume guards it.
 */
final class RemoteLegs {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteLegs.class);
  private static final String DISABLED = "disabled";
  private static final int DIGITS = 12;

  private final LegControllers controllers;
  private final String volume;
  private final String host;
  private final LegKeys keys;

  /**
   * Creates the devices of a volume.
   *
   * @param host NQN by which the target connects
   * @param keys by which targets of the cluster know each other
   */
  RemoteLegs(LegControllers controllers, String volume, String host, LegKeys keys) {
    this.controllers = controllers;
    this.volume = volume;
    this.host = host;
    this.keys = keys;
  }

  private static String nqn(ReplicaLeg leg, String lvol) {
    return LegPlace.shown(leg.identity(), leg.record().opening().generation(), lvol);
  }

  private String controller(ReplicaLeg leg, String lvol) {
    return Identity.controllers(volume) + Identity.digits(nqn(leg, lvol), DIGITS);
  }

  /** Returns the name of the device. */
  String device(ReplicaLeg leg, String lvol) {
    return AttachedLeg.device(controller(leg, lvol));
  }

  /** Returns the UUID of the device. */
  static String uuid(ReplicaLeg leg, String lvol) {
    return Identity.of(nqn(leg, lvol)).uuid().toString();
  }

  /**
   * Attaches a volume of a replica. Succeeds when it is attached.
   *
   * @return the name of the device
   */
  String attach(ReplicaLeg leg, String lvol) throws StorageException {
    String name = controller(leg, lvol);
    Optional<AttachedLeg> present = controllers.find(name);
    if (present.filter(one -> one.state().equals(DISABLED)).isPresent()) {
      controllers.drop(name); // an earlier drop was interrupted
      present = Optional.empty();
    }
    LegShown shown = show(leg, lvol);
    if (present.isEmpty()) {
      controllers.attach(name, shown.nqn(), shown.listener(), host, keys.named(keys.host(host)));
    }
    return device(leg, lvol);
  }

  /**
   * Shows a volume of a replica again after its target was restarted: a controller that waits then
   * connects by itself. Succeeds when it is shown.
   *
   * @throws StorageException UNREACHABLE or TIMEOUT when the node cannot be asked; IO when its
   *     target does not run; FORBIDDEN when a later opening took the replica
   */
  LegShown show(ReplicaLeg leg, String lvol) throws StorageException {
    return leg.expose(lvol, host(leg, lvol));
  }

  /** Returns as which host the target of this node connects to a volume of a replica. */
  LegHost host(ReplicaLeg leg, String lvol) throws StorageException {
    return keys.host(controllers.find(controller(leg, lvol)).map(AttachedLeg::host).orElse(host));
  }

  /**
   * Detaches a volume of a replica; mirrors drop it. A node that cannot be asked still shows it.
   */
  void detach(ReplicaLeg leg, String lvol) throws StorageException {
    controllers.drop(controller(leg, lvol));
    hide(leg, lvol);
  }

  /** Detaches all volumes of a replica. */
  void detachAll(ReplicaLeg leg) throws StorageException {
    for (AttachedLeg one : controllers.all(Identity.controllers(volume))) {
      if (LegPlace.shows(one.nqn(), leg.identity())) {
        controllers.drop(one.name());
      }
    }
    hide(leg, leg.record().head());
  }

  private void hide(ReplicaLeg leg, String lvol) {
    try {
      leg.hide(lvol);
    } catch (StorageException e) {
      LOG.debug("volume {}: could not hide {} of {}", volume, lvol, leg.name(), e);
    }
  }
}
