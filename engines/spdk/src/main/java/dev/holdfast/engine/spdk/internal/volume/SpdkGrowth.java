package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/**
 * Growth of an open volume on all legs. SPDK reports the new size to hosts, and the connection of
 * this engine is made again. The monitor of the volume guards it.
 */
final class SpdkGrowth {
  private static final int BLOCK = 4_096;

  private final OpenRequest request;
  private final SpdkLegs legs;
  private final SpdkQuiesce quiesce;
  private final SpdkDevice device;

  SpdkGrowth(OpenRequest request, SpdkLegs legs, SpdkQuiesce quiesce, SpdkDevice device) {
    this.request = request;
    this.legs = legs;
    this.quiesce = quiesce;
    this.device = device;
  }

  /**
   * Grows the volume.
   *
   * @return false when it has the size already
   * @throws StorageException INVALID for a smaller size, or one that is not a multiple of 4096
   */
  boolean to(long bytes) throws StorageException {
    long present = legs.record().sizeBytes();
    if (bytes < present || bytes % BLOCK != 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + request.volume()
              + " has "
              + present
              + " bytes: the new size must be a larger multiple of 4096, not "
              + bytes);
    }
    if (bytes == present && device.size() == present) {
      return false;
    }
    for (ReplicaLeg leg : legs.all()) {
      leg.lvols().resize(leg.head(), bytes);
    }
    quiesce.run(
        () -> {
          if (legs.all().size() > 1 || !legs.remotes().isEmpty()) {
            legs.remake(() -> {}); // a mirror has the size that its legs had when it was made
          }
          legs.write(each -> each.sized(bytes));
          device.replace(legs.loopback().connect(legs.nqn()), bytes);
        });
    return true;
  }
}
