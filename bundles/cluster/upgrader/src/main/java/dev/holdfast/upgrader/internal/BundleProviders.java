package dev.holdfast.upgrader.internal;

import java.security.Provider;
import java.security.Security;
import org.osgi.framework.FrameworkUtil;

/**
 * Java's security providers that bundles registered. They stay when the container starts again in
 * the same process, but their classes can no longer be loaded, so the shell could not generate its
 * key.
 */
final class BundleProviders {
  private BundleProviders() {}

  /** Removes them; their users register them again. */
  static void remove() {
    for (Provider provider : Security.getProviders()) {
      if (FrameworkUtil.getBundle(provider.getClass()) != null) {
        Security.removeProvider(provider.getName());
      }
    }
  }
}
