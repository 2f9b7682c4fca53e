package dev.holdfast.datapath;

import dev.holdfast.engine.EngineProvider;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.Version;

/**
 * An engine and the bundle that offers it. Among engines of one name the higher version is used,
 * then the higher ranking, then the later one.
 */
public record InstalledEngine(
    EngineProvider engine, long bundle, String symbolicName, Version version, int ranking) {

  /** Returns the engine of a registered service. */
  public static InstalledEngine of(
      ServiceReference<EngineProvider> reference, EngineProvider engine) {
    Bundle bundle = reference.getBundle();
    Object ranking = reference.getProperty(Constants.SERVICE_RANKING);
    return new InstalledEngine(
        engine,
        bundle.getBundleId(),
        bundle.getSymbolicName(),
        bundle.getVersion(),
        ranking instanceof Integer number ? number : 0);
  }

  /** Returns whether the other one is preferred, by version and ranking. */
  public boolean isBefore(InstalledEngine other) {
    int byVersion = version.compareTo(other.version);
    return byVersion < 0 || (byVersion == 0 && ranking < other.ranking);
  }
}
