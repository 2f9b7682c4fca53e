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
  /** The register executes the next request, and its answer is lost. */
  LOSE_ANSWER,
  /** A disk answers late. */
  DISK_HANGS,
  /** A read or write of a layer meets an {@code Error}. */
  ERROR,
  /** One write of a disk is done late; others are not held up. */
  WRITE_HANGS,
  /** A process is stopped for a while. */
  STOP,
  /** A disk is full. */
  DISK_FULL,
  /** A sync fails once, and the kernel forgets what it should have written. */
  SYNC_FAILS,
  /** A disk fails every access. */
  DISK_BREAKS,
  /** A disk fails every access from the moment when the next change of its head is durable. */
  COMMIT_BREAKS,
  /** A sector of one disk cannot be read. */
  SECTOR_UNREADABLE,
  /** Engines clear marks that are no longer needed. */
  SWEEP,
  /** The bundle of an engine is replaced, during any call. */
  BUNDLE_REPLACED,
  /** A replica of another volume gets layers of one, or all that did are deleted. */
  CLONE,
  /** An engine opens the volume, also while another has it open. */
  OPEN,
  /** Bits of a snapshot flip on one disk, if all is in order; snapshots are scrubbed. */
  ROT,
  /** An administrator salvages some replicas, and the volume is opened. */
  SALVAGE
}
