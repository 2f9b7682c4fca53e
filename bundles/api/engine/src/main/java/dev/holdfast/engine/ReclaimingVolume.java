package dev.holdfast.engine;

import org.osgi.annotation.versioning.ConsumerType;

/** A volume whose trims can reclaim space that snapshots hold. */
@ConsumerType
public interface ReclaimingVolume extends SnapshotVolume {

  /**
   * Sets whether a trim removes the snapshots that prevent it from reclaiming space: from the live
   * content down to the first snapshot that has another branch or is being read. Before the trim,
   * these snapshots are marked as removed on all replicas, as by {@link #deleteSnapshot}; the trim
   * then frees data that only they held. A trim waits at most a few seconds for this and is always
   * executed. The option is off when the volume is opened or resumed, and may change at any time.
   * Does not block; for any thread.
   *
   * @param enabled whether later trims remove snapshots
   */
  void trimRemovesSnapshots(boolean enabled);
}
