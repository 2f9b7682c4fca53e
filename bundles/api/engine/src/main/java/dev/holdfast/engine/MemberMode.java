package dev.holdfast.engine;

/** Mode of a replica in its engine, with the names that Longhorn uses. */
public enum MemberMode {
  /** Current: receives all writes and may serve reads. */
  RW,
  /** Target of a rebuild: receives all writes and serves no reads. */
  WO,
  /** Failed or outdated: receives no requests. */
  ERR
}
