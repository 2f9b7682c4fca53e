package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.data.Connector;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.Set;

/**
 * Looks whether the target of an open volume still has what the volume needs. The target may have
 * been restarted at any moment, also while the volume was opened or restored; then some parts
 * belong to the process that ended. The calls of one connection reached one process, so the number
 * of the connection tells when the volume must be looked at again. Thread-safe.
 */
final class TargetWatch {
  private static final long NONE = -1;

  private final SpdkTarget target;
  private final SpdkLegs legs;
  private volatile long seen = NONE;

  TargetWatch(SpdkTarget target, SpdkLegs legs) {
    this.target = target;
    this.legs = legs;
  }

  private static StorageException lost(String what) {
    return new StorageException(ErrorCode.UNREACHABLE, what);
  }

  /** Connects to the target, and returns the number of the connection. */
  long connection() throws StorageException {
    target.run("spdk_get_version", SpdkTarget.params());
    return target.connections();
  }

  /** Fails unless all calls since {@link #connection} reached the same process. */
  void requireSame(long connection) throws StorageException {
    if (connection() != connection) {
      throw lost("its target was restarted while it was restored");
    }
  }

  /** Notes that the volume has all of its parts at the process of a connection. */
  void found(long connection) {
    seen = connection;
  }

  /** Returns whether the volume has not been looked at over a connection. */
  boolean isDue(long connection) {
    return seen != connection;
  }

  /**
   * Looks at the volume over a connection. The monitor of the volume is held.
   *
   * @param shown names of the subsystems of the target
   * @return why the volume must be restored, empty when it has all of its parts
   */
  Optional<StorageException> problem(Set<String> shown, long connection) {
    if (!shown.contains(legs.nqn())) {
      return Optional.of(lost("its target does not show it"));
    }
    try {
      for (ReplicaLeg leg : legs.all()) {
        leg.probe();
      }
    } catch (StorageException e) {
      return Optional.of(e).filter(Connector::isLoss); // a disk that fails is not the target's end
    }
    found(connection);
    return Optional.empty();
  }

  /** Returns why the connection to a record ended, empty while none is known to have ended. */
  Optional<StorageException> lostRecord() {
    return legs.all().stream().map(ReplicaLeg::loss).flatMap(Optional::stream).findFirst();
  }
}
