package dev.holdfast.clone.internal;

import dev.holdfast.datapath.CurrentStore;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Volume;
import java.util.BitSet;

/** Record in the store of the copied regions of one volume's first content. */
final class CopyRecord {
  private final CurrentStore store;
  private final String volume;
  private final String uid;

  CopyRecord(CurrentStore store, Volume copy) {
    this.store = store;
    this.volume = copy.name();
    this.uid = copy.metadata().uid();
  }

  /**
   * Returns the volume as the store has it.
   *
   * @throws StorageException CONFLICT when it is not to be copied any more
   */
  Volume current() throws StorageException {
    return store
        .get()
        .get(Volume.KIND, volume)
        .filter(found -> found.metadata().uid().equals(uid))
        .filter(Volume::isUsableWhileCopied)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.CONFLICT, "volume " + volume + " is not to be copied any more"));
  }

  /** Records regions that are durable, beside those that are recorded already. */
  void add(BitSet regions) throws StorageException {
    while (true) {
      Volume present = current();
      CloneStatus status = present.status().cloneStatus();
      BitSet all = RegionCopyPlan.copied(status.copiedRegions());
      all.or(regions);
      CloneStatus next = status.withCopiedRegions(RegionCopyPlan.text(all)).withMessage("");
      try {
        if (!next.equals(status)) {
          store.get().updateStatus(present.withStatus(present.status().withCloneStatus(next)));
        }
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT) {
          throw e;
        }
      }
    }
  }
}
