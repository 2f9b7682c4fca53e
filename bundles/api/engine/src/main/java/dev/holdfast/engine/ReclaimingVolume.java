package dev.holdfast.engine;

import org.osgi.annotation.versioning.ConsumerType;

/** A volume whose trims can give space back that snapshots hold. */
@ConsumerType
public interface ReclaimingVolume extends SnapshotVolume {

  /**
   * Says whether a trim gives up the snapshots that keep it from reclaiming space: from the live
   * content down to the first one on which another branch stands, or that is being read. They are
   * marked as removed, as {@link #deleteSnapshot} does it, on all replicas, before the trim is
   * carried out; then the trim frees what they alone held. A trim waits for that no longer than a
   * few seconds, and is carried out in any case. Off when the volume is opened or resumed; may
   * change at any time. Does not block; for any thread.
   *
   * @param enabled whether later trims give snapshots up
   */
  void trimRemovesSnapshots(boolean enabled);
}
