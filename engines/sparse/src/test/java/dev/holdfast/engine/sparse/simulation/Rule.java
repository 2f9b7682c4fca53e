package dev.holdfast.engine.sparse.simulation;

/** A rule of the protocol that a simulation can take away, to see whether it is noticed. */
public enum Rule {
  /** All rules hold. */
  NONE,
  /** A replica goes on serving sessions that a later one has ended. */
  FENCING,
  /** A replica does not tell that its host was booted since it was marked. */
  BOOT,
  /** A flush makes nothing durable. */
  FLUSH,
  /** Marks reach no disk. */
  MARKS,
  /** Marks are written but not synced before the data. */
  MARKS_DURABLE,
  /** Marks are taken back when the writing is done, before anything was flushed. */
  MARKS_UNTIL_FLUSH,
  /** A start finds no marks. */
  RESYNC,
  /** Nobody records who was dropped. */
  DROP_DECIDED,
}
