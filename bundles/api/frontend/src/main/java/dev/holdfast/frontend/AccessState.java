package dev.holdfast.frontend;

/**
 * Access state of the path by which one export reaches a volume (asymmetric access, NVMe Base 2.0,
 * section 8.1).
 *
 * @since 2.1
 */
public enum AccessState {
  /** Requests are served. */
  OPTIMIZED,
  /** Hosts may connect and use another path; requests by this path are refused. */
  STANDBY,
  /** Requests are refused, and hosts may be disconnected. */
  INACCESSIBLE
}
