package dev.holdfast.datapath;

/**
 * The way in which hosts reach an attached volume, and why.
 *
 * @param way the way in use
 * @param reason for programs, in CamelCase; empty when the engine leaves one way only
 * @param message for users; empty when the reason is sufficient
 */
public record ServingState(Way way, String reason, String message) {
  /** No host reaches the volume, or its engine leaves no choice between ways. */
  public static final ServingState PLAIN = new ServingState(Way.PORTAL, "", "");

  /** How requests of hosts reach a volume. */
  public enum Way {
    /** Through the portal and this process. */
    PORTAL,
    /** Through an export of the engine, past this process. */
    NATIVE,
    /** By one of both, while hosts change to the other one, which is a second path to them. */
    CHANGING
  }
}
