package dev.holdfast.engine.testkit;

/** Mistakes of an engine with shared disks, each of which the kit must find. */
enum Defect {
  NONE,
  /** Opens while another node holds the lock, and does not take it. */
  OPENS_WITHOUT_LOCK,
  /** Takes the lock from a holder that is alive. */
  TAKES_A_HELD_LOCK,
  /** Makes an identity for each node. */
  IDENTITY_OF_THE_NODE,
  /** Makes an identity each time that a disk is prepared. */
  NEW_IDENTITY,
  /** Takes a disk with any content into use. */
  PREPARES_OVER_CONTENT,
  /** Takes a disk into use when it is only inspected. */
  INSPECTION_WRITES,
  /** Deletes a replica that another node has open. */
  DELETES_WHAT_IS_OPEN,
  /** Releases a disk with an open volume. */
  RELEASES_WHAT_IS_OPEN,
  /** Reports what is left as promisable, so that promises count twice. */
  PROMISES_THE_REST
}
