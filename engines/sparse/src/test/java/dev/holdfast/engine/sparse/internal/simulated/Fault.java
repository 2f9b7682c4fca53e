package dev.holdfast.engine.sparse.internal.simulated;

/** Events of a simulated node, a network or a register; {@link #OPEN} is an action. */
enum Fault {
  /** A process is killed. */
  KILL,
  /** A host loses its power. */
  POWER,
  /** All hosts lose their power. */
  ALL_POWER,
  /** Two nodes lose the connection to each other. */
  PART,
  /** Connections between two nodes are lost. */
  HANG_UP,
  /** A node loses the connection to the register. */
  CUT_OFF,
  /** The register executes the next request, but its answer is lost. */
  LOSE_ANSWER,
  /** A disk answers late. */
  DISK_HANGS,
  /** A read or write of a layer meets an {@code Error}. */
  ERROR,
  /** One write of a disk is executed late. Other writes are not delayed. */
  WRITE_HANGS,
  /** A process is paused for a time. */
  STOP,
  /** A disk is full. */
  DISK_FULL,
  /** A sync fails once, and the kernel treats the unwritten data as written. */
  SYNC_FAILS,
  /** A disk fails every access. */
  DISK_BREAKS,
  /** A disk fails every access after the next change of its head is durable. */
  COMMIT_BREAKS,
  /** A sector of one disk cannot be read. */
  SECTOR_UNREADABLE,
  /** Engines clear marks that are no longer needed. */
  SWEEP,
  /** The bundle of an engine is replaced, during any call. */
  BUNDLE_REPLACED,
  /**
   * A replica of another volume gets layers of a replica, or all replicas with such layers are
   * deleted.
   */
  CLONE,
  /** An engine opens the volume, even while another engine has it open. */
  OPEN,
  /** Bits of a snapshot flip on one disk, if no other fault is active; snapshots are scrubbed. */
  ROT,
  /** An administrator salvages some replicas, and the volume is opened. */
  SALVAGE
}
