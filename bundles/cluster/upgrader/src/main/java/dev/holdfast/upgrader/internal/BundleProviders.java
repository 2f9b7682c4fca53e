package dev.holdfast.upgrader.internal;

import java.security.Provider;
import java.security.Security;
import org.osgi.framework.FrameworkUtil;

/**
 * Java's security providers that bundles registered. They stay when the container starts again in
 * the same process, but their classes cannot be loaded any more: the shell found no way to make its
 * key.
 */
final class BundleProviders {
  private BundleProviders() {}

  /** Removes them; their users register them anew. */
  static void remove() {
    for (Provider provider : Security.getProviders()) {
      if (FrameworkUtil.getBundle(provider.getClass()) != null) {
        Security.removeProvider(provider.getName());
      }
    }
  }
}
