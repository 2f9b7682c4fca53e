package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.MetricDefinition;
import java.util.Locale;

/** Rules for the names that a bundle may use. */
final class NameRule {
  static final String PLATFORM = "holdfast_";
  private static final String PLUGIN = "holdfast_plugin_";

  /** A metric of the platform about plugins. Names of plugins' own metrics are longer. */
  private static final String TROUBLE = "holdfast_plugin_trouble";

  private static final String OWN_BUNDLES = "dev.holdfast.";

  private NameRule() {}

  /**
   * Rejects a name outside the bundle's prefix.
   *
   * @throws IllegalArgumentException with the bundle, the series and the permitted prefix
   */
  static void check(String symbolicName, MetricDefinition definition) {
    String name = definition.name();
    boolean platform = symbolicName.startsWith(OWN_BUNDLES);
    String prefix = platform ? PLATFORM : pluginPrefix(symbolicName);
    boolean foreign = platform && name.startsWith(PLUGIN) && !name.equals(TROUBLE);
    if (!name.startsWith(prefix) || foreign) {
      throw new IllegalArgumentException(
          "series "
              + name
              + ": bundle "
              + symbolicName
              + " may not use this name: begin it with "
              + prefix);
    }
  }

  /** Returns the prefix of a plugin's series. */
  static String pluginPrefix(String symbolicName) {
    String word =
        symbolicName.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_").replaceAll("^_|_$", "");
    return PLUGIN + word + "_";
  }
}
