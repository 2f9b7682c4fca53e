package dev.holdfast.frontend;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A block protocol. Register an implementation as an OSGi service. It owns protocol sessions only:
 * listeners, connections and TLS belong to the portal.
 */
@ConsumerType
public interface Frontend {

  /** Returns what {@code Volume.spec.frontend} says to select it, for example {@code nbd}. */
  String name();
}
