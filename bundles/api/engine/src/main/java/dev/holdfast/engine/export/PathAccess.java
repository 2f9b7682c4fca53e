package dev.holdfast.engine.export;

/**
 * Access state of one path of an export.
 *
 * @since 1.0
 */
public enum PathAccess {
  /** The export serves requests. */
  OPTIMIZED,
  /** Hosts may connect and use another path. The export rejects requests. */
  STANDBY,
  /** The export rejects requests and may disconnect hosts. */
  INACCESSIBLE
}
