package dev.holdfast.upgrade;

import java.time.Instant;
import java.util.Objects;

/**
 * A fault of a bundle that its callers detected. Other bundles continue to serve.
 *
 * @param kind kind of the fault, not null
 * @param since time at which the fault began or was first detected, by the node's clock, not null
 * @param bundle OSGi number of the bundle; -1 if unknown
 * @param name name of the bundle for users, with its version, not null
 * @param volume name of the affected volume; empty if the fault does not concern a single volume
 * @param message symptom and place in the code, for users, not null
 */
public record BundleTrouble(
    Kind kind, Instant since, long bundle, String name, String volume, String message) {

  /** The kinds of faults of a bundle. */
  public enum Kind {
    /**
     * A call to the bundle does not return, because of an endless loop or a wait that does not end.
     */
    HANGS,
    /** Calls to the bundle fail repeatedly because of a defect. */
    FAILS,
    /**
     * The bundle offers a plugin under a name of another bundle; the plugin is not used.
     *
     * @since 1.2
     */
    DUPLICATE_NAME
  }

  /** Checks the values. */
  public BundleTrouble {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(since, "since");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(message, "message");
  }
}
