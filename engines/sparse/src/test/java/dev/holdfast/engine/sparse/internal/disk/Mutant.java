package dev.holdfast.engine.sparse.internal.disk;

/** Rules of the protocol that a simulated disk or register can break. */
public enum Mutant {
  /** All rules hold. */
  NONE,
  /** A flush is acknowledged without making data durable. */
  FLUSH_IGNORED,
  /** Marks reach no disk. */
  MARKS_NOT_WRITTEN,
  /** Marks are written but not synced before the data. */
  MARKS_NOT_SYNCED,
  /** Marks are cleared after the write, before the flush. */
  MARKS_CLEARED_EARLY,
  /** Marks are cleared when one replica has synced, although others have not. */
  MARKS_CLEARED_ON_SYNC,
  /** An opening ignores the marks. */
  NO_RESYNC,
  /**
   * The register reports a drop as recorded without recording it; the survivors do not record it
   * either.
   */
  DROP_NOT_DECIDED,
  /** The record of a clean close stays while the replica is in use. */
  CLEAN_NOT_REMOVED,
  /** Names of files directly in the directory are never made durable. */
  NAMES_NOT_SYNCED,
  /** A structural operation is not recorded. */
  OPERATION_NOT_RECORDED,
  /** The coalescing of a layer into its child is not recorded. */
  FOLD_NOT_RECORDED,
  /** Trims and coalescing treat a kept snapshot like a removed one. */
  KEPT_TAKEN_FOR_REMOVED,
  /** A trim frees data that hides older content before that content is durably removed. */
  HIDDEN_CLEARED_UNSYNCED,
  /** A new head is shorter than the volume. */
  SHORT_HEAD,
  /** A base reports that it holds no data, so that trims do not hide it by zeroes. */
  BASE_NOT_HIDDEN,
  /** A hole of a base does not read as zeroes. */
  BASE_HOLES_NOT_ZERO,
  /** The second opening of a replica does not find the base below its layers. */
  BASE_FORGOTTEN,
  /** The child's file is removed before its name durably belongs to the other file. */
  LAYER_REPLACED_TOO_EARLY
}
