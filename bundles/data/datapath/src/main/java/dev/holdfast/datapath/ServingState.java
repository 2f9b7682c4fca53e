package dev.holdfast.datapath;

/**
 * How hosts reach an attached volume, with the reason.
 *
 * @param way the way in use
 * @param reason reason for programs, in CamelCase; empty when the engine supports one way only
 * @param message for users; empty when the reason is sufficient
 */
public record ServingState(Way way, String reason, String message) {
  /** Hosts do not reach the volume, or its engine supports one way only. */
  public static final ServingState PLAIN = new ServingState(Way.PORTAL, "", "");

  /** How requests of hosts reach a volume. */
  public enum Way {
    /** Through the portal and this process. */
    PORTAL,
    /** Through an export of the engine, which bypasses this process. */
    NATIVE,
    /** By one of both, while hosts change to the other one, which is their second path. */
    CHANGING
  }
}
