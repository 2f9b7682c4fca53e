package dev.holdfast.block.filter;

/** The operations that hold the requests of a volume. */
public enum GateCause {
  /** A snapshot of one volume or of a group. */
  SNAPSHOT,
  /** The replacement of an engine's bundle. */
  REPLACEMENT,
  /** A live migration. */
  MIGRATION
}
