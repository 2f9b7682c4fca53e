package dev.holdfast.upgrade;

import java.util.Objects;

/**
 * The bundle that offers a plugin.
 *
 * @param bundle number of the bundle in the OSGi framework
 * @param symbolicName for example {@code dev.holdfast.engine.sparse}, not null
 * @param version in OSGi's form, for example {@code 0.2.0}, not null
 * @since 1.2
 */
public record PluginOrigin(long bundle, String symbolicName, String version) {

  /** Checks the values. */
  public PluginOrigin {
    Objects.requireNonNull(symbolicName, "symbolicName");
    Objects.requireNonNull(version, "version");
  }

  @Override
  public String toString() {
    return symbolicName + " " + version + " (bundle " + bundle + ")";
  }
}
