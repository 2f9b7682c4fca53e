package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.spdk.internal.calls.Lvols;
import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.data.Identity;
import dev.holdfast.engine.spdk.internal.data.Loopback;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * The replica of an open volume and the subsystem that shows its live content: to this engine by
 * the loopback address, and to hosts by a listener of its own. The monitor of the volume guards it.
 */
final class ServedReplica {
  private final ReplicaLeg stored;
  private final Lvols lvols;
  private final Loopback loopback;
  private final String nqn;

  ServedReplica(ReplicaLeg stored, Lvols lvols, Loopback loopback) {
    this.stored = stored;
    this.lvols = lvols;
    this.loopback = loopback;
    this.nqn = Identity.subsystem(stored.record().owner().volume());
  }

  ReplicaLeg stored() {
    return stored;
  }

  LegRecord record() {
    return stored.record();
  }

  Lvols lvols() {
    return lvols;
  }

  Loopback loopback() {
    return loopback;
  }

  Subsystems subsystems() {
    return loopback.subsystems();
  }

  String nqn() {
    return nqn;
  }

  String volume() {
    return record().owner().volume();
  }

  /** Returns the name by which the target knows the live content. */
  String head() {
    return stored.place().alias(record().head());
  }

  /** Shows the live content in place of what an earlier opening left, and connects. */
  BlockDevice serve() throws StorageException {
    loopback.expose(nqn, head(), Identity.of(nqn));
    return loopback.connect(nqn);
  }

  /** Connects to what is shown already; an earlier engine is disconnected. */
  BlockDevice takeOver() throws StorageException {
    Optional<TargetSubsystem> present = subsystems().find(nqn);
    if (present.isEmpty()) {
      return serve();
    }
    if (present.get().device().isEmpty()) {
      showHead(); // a revert was interrupted
    }
    loopback.takeOver(nqn);
    return loopback.connect(nqn);
  }

  /** Shows no content: hosts stay connected, and their requests fail. */
  void hideHead() throws StorageException {
    subsystems().removeNamespace(nqn);
  }

  /** Shows the live content. */
  void showHead() throws StorageException {
    Identity identity = Identity.of(nqn);
    subsystems().addNamespace(nqn, head(), identity.nguid(), identity.uuid().toString());
  }

  /** Connects this engine once more, as after growth. */
  BlockDevice connect() throws StorageException {
    return loopback.connect(nqn);
  }

  /** Removes the subsystem: no request reaches the live content any more. */
  void withdraw() throws StorageException {
    subsystems().delete(nqn);
  }
}
