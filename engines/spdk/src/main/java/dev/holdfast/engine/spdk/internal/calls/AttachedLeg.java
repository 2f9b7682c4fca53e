package dev.holdfast.engine.spdk.internal.calls;

/**
 * A controller of another target that this target has attached.
 *
 * @param name of the controller, not null
 * @param nqn of the subsystem at the other target, not null
 * @param host NQN by which this target connected, not null
 * @param state as SPDK calls it: {@code enabled} while it is connected, not null
 */
public record AttachedLeg(String name, String nqn, String host, String state) {
  /** Returns the name of the device that its namespace 1 is. */
  public String device() {
    return device(name);
  }

  /** Returns the name of the device that namespace 1 of a controller is. */
  public static String device(String controller) {
    return controller + "n1";
  }
}
