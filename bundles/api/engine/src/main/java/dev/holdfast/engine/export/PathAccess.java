package dev.holdfast.engine.export;

/**
 * Access state of one path of an export.
 *
 * @since 1.0
 */
public enum PathAccess {
  /** Requests are served. */
  OPTIMIZED,
  /** Hosts may connect, and use another path; requests by this one are refused. */
  STANDBY,
  /** Requests are refused, and hosts may be disconnected. */
  INACCESSIBLE
}
