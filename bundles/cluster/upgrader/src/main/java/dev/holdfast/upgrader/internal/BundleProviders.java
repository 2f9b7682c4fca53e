package dev.holdfast.upgrader.internal;

import java.security.Provider;
import java.security.Security;
import org.osgi.framework.FrameworkUtil;

/**
 * Java's security providers that bundles registered. The providers remain when the container
 * restarts in the same process, but their classes can no longer be loaded. Without their removal
 * the shell could not generate its key.
 */
final class BundleProviders {
  private BundleProviders() {}

  /** Removes these providers; their users register them again. */
  static void remove() {
    for (Provider provider : Security.getProviders()) {
      if (FrameworkUtil.getBundle(provider.getClass()) != null) {
        Security.removeProvider(provider.getName());
      }
    }
  }
}
