package dev.holdfast.upgrade;

import java.time.Instant;
import java.util.Objects;

/**
 * A fault of a bundle, as its callers see it. Other bundles continue to serve.
 *
 * @param kind what it does wrong, not null
 * @param since when that began or was seen first, by the node's clock, not null
 * @param bundle its OSGi number; -1 when it is not known
 * @param name of the bundle as a person knows it, with its version, not null
 * @param volume the name of the volume that is concerned; empty when it is none in particular
 * @param message for a person: what is seen, and where in its code, not null
 */
public record BundleTrouble(
    Kind kind, Instant since, long bundle, String name, String volume, String message) {

  /** The kinds of faults of a bundle. */
  public enum Kind {
    /** A call of it does not return: a loop without end, or a wait for what does not come. */
    HANGS,
    /** Calls of it fail by a defect, again and again. */
    FAILS,
    /**
     * It offers a plugin under a name that belongs to another bundle; the plugin is not used.
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
