package dev.holdfast.upgrade;

import java.util.Objects;

/**
 * A bundle that offers a part.
 *
 * @param id number of the bundle in the OSGi framework
 * @param symbolicName for example {@code dev.holdfast.frontend.nbd}, not null
 * @param version in OSGi's form, for example {@code 0.2.0}, not null
 * @param served number of sessions (frontends) or open volumes (engines) that it serves now
 */
public record ServingBundle(long id, String symbolicName, String version, int served) {

  /** Checks the values. */
  public ServingBundle {
    Objects.requireNonNull(symbolicName, "symbolicName");
    Objects.requireNonNull(version, "version");
    if (served < 0) {
      throw new IllegalArgumentException(
          "bundle " + symbolicName + ": served is negative: " + served);
    }
  }
}
