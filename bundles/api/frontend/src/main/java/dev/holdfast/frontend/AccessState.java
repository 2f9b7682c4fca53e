package dev.holdfast.frontend;

/**
 * Access state of the path by which one export reaches a volume (asymmetric access, NVMe Base 2.0,
 * section 8.1).
 *
 * @since 2.1
 */
public enum AccessState {
  /** The export serves requests. */
  OPTIMIZED,
  /** Hosts may connect and use another path. This path rejects requests. */
  STANDBY,
  /** The export rejects requests and may disconnect hosts. */
  INACCESSIBLE
}
