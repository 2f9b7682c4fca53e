package dev.holdfast.datapath;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Volume;
import java.util.BitSet;

/** Record in the store of the copied regions of one volume's first content. */
public final class CopyRecord {
  private final CurrentStore store;
  private final String volume;
  private final String uid;

  /**
   * Creates a record.
   *
   * @param store that has the volume, not null
   * @param copy the volume, not null
   */
  public CopyRecord(CurrentStore store, Volume copy) {
    this.store = store;
    this.volume = copy.name();
    this.uid = copy.metadata().uid();
  }

  /**
   * Returns the volume as the store has it.
   *
   * @throws StorageException CONFLICT when it is not to be copied any more
   */
  public Volume current() throws StorageException {
    return store
        .get()
        .get(Volume.KIND, volume)
        .filter(found -> found.metadata().uid().equals(uid))
        .filter(Volume::isBeingCopied)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.CONFLICT, "volume " + volume + " is not to be copied any more"));
  }

  /** Records regions that are durable, beside those that are recorded already. */
  public void add(BitSet regions) throws StorageException {
    while (true) {
      Volume present = current();
      BitSet all = RegionCopyPlan.copied(present.contentProgress().orElseThrow().copiedRegions());
      all.or(regions);
      Volume next = present.withCopiedRegions(RegionCopyPlan.text(all));
      try {
        if (!next.status().equals(present.status())) {
          store.get().updateStatus(next);
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
