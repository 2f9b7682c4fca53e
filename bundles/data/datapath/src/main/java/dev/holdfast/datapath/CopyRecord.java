package dev.holdfast.datapath;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Volume;
import java.util.BitSet;

/** Record in the store of the copied regions of one volume's first content. */
public final class CopyRecord {
  private final CurrentStore store;
  private final Volume copy;

  /**
   * Creates a record.
   *
   * @param store store of the volume, not null
   * @param copy the volume, not null
   */
  public CopyRecord(CurrentStore store, Volume copy) {
    this.store = store;
    this.copy = copy;
  }

  /**
   * Returns whether two states of a volume describe the same first content. A standby volume
   * receives one backup after the other, and a node that copied an earlier one may be late.
   *
   * @param one state, not null
   * @param other state, not null
   */
  public static boolean isSameContent(Volume one, Volume other) {
    return one.metadata().uid().equals(other.metadata().uid())
        && one.isReverting() == other.isReverting()
        && one.status().restore().backup().equals(other.status().restore().backup())
        && one.status().standby().appliedBlocks().equals(other.status().standby().appliedBlocks());
  }

  /**
   * Returns the volume from the store.
   *
   * @throws StorageException CONFLICT when the copy was cancelled or the content has changed
   */
  public Volume current() throws StorageException {
    return store
        .get()
        .get(Volume.KIND, copy.name())
        .filter(found -> isSameContent(copy, found))
        .filter(Volume::isBeingCopied)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.CONFLICT, "volume " + copy.name() + ": its copy was cancelled"));
  }

  /** Records regions that are durable, in addition to the recorded ones. */
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
