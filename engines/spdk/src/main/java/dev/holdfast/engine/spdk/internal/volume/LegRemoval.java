package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * Removal of a current replica from an open volume. The register has the decision before the mirror
 * is made without the replica. The monitor of the volume guards it.
 */
final class LegRemoval {
  private final SpdkLegs legs;
  private final LegDecisions decisions;
  private final SpdkQuiesce quiesce;
  private final SpdkDevice device;

  LegRemoval(SpdkLegs legs, LegDecisions decisions, SpdkQuiesce quiesce, SpdkDevice device) {
    this.legs = legs;
    this.decisions = decisions;
    this.quiesce = quiesce;
    this.device = device;
  }

  /**
   * Removes a replica.
   *
   * @return false when it is not current
   * @throws StorageException CONFLICT when it is the only one
   */
  boolean of(String replica) throws StorageException {
    Optional<ReplicaLeg> found =
        legs.all().stream().filter(leg -> leg.name().equals(replica)).findFirst();
    if (found.isEmpty()) {
      return false;
    }
    requireOther(found.get());
    quiesce.run(
        () -> {
          decisions.leave(found.get(), "it was removed");
          legs.remake(() -> {});
          device.replace(legs.loopback().connect(legs.nqn()), legs.record().sizeBytes());
        });
    return true;
  }

  private void requireOther(ReplicaLeg leg) throws StorageException {
    if (legs.all().size() == 1) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "volume "
              + legs.volume()
              + ": replica "
              + leg.name()
              + " is the only current one: rebuild another one first");
    }
  }
}
