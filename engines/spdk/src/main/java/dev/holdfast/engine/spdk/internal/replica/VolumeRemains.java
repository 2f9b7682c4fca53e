package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.engine.spdk.internal.calls.AttachedLeg;
import dev.holdfast.engine.spdk.internal.calls.LegControllers;
import dev.holdfast.engine.spdk.internal.calls.SpdkMirrors;
import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.calls.TargetListener;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.data.Identity;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * Parts of an opening that stay at the target of its node: the subsystem of hosts, the mirror, and
 * the controllers of legs on other nodes. Thread-safe.
 */
public final class VolumeRemains {
  private static final String CONNECTED = "enabled";

  private final Subsystems subsystems;
  private final SpdkMirrors mirrors;
  private final LegControllers controllers;

  /** Creates the remains at a target. */
  public VolumeRemains(Subsystems subsystems, SpdkMirrors mirrors, LegControllers controllers) {
    this.subsystems = subsystems;
    this.mirrors = mirrors;
    this.controllers = controllers;
  }

  /** Removes all. Succeeds when nothing was left. */
  public void remove(String volume) throws StorageException {
    removeSubsystem(volume);
    removeMirror(volume);
  }

  /**
   * Removes the subsystem of hosts: no request reaches the live content any more. Hosts are
   * disconnected before a lost leg is dropped, because requests that wait for it then end without
   * it, and none of them may be acknowledged.
   */
  public void removeSubsystem(String volume) throws StorageException {
    String nqn = Identity.subsystem(volume);
    Optional<TargetSubsystem> present = subsystems.find(nqn);
    if (present.isEmpty()) {
      return;
    }
    for (AttachedLeg leg : controllers.all(Identity.controllers(volume))) {
      if (!leg.state().equals(CONNECTED)) {
        disconnectHosts(nqn, present.get());
        controllers.drop(leg.name());
      }
    }
    subsystems.delete(nqn);
  }

  private void disconnectHosts(String nqn, TargetSubsystem present) throws StorageException {
    for (TargetListener listener : present.listeners()) {
      if (subsystems.require(nqn).listeners().contains(listener)) {
        subsystems.stopListening(nqn, listener);
      }
    }
  }

  /** Removes the mirror and the controllers of its legs, after {@link #removeSubsystem}. */
  public void removeMirror(String volume) throws StorageException {
    mirrors.delete(Identity.mirror(volume));
    for (AttachedLeg leg : controllers.all(Identity.controllers(volume))) {
      controllers.drop(leg.name());
    }
  }
}
