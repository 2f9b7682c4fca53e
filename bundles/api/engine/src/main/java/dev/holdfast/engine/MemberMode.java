package dev.holdfast.engine;

/** Mode of a replica in its engine, in the words of the system that we follow. */
public enum MemberMode {
  /** Current: gets every write and may serve reads. */
  RW,
  /** Being rebuilt: gets every write, serves no read. */
  WO,
  /** Failed or not current: gets nothing. */
  ERR
}
