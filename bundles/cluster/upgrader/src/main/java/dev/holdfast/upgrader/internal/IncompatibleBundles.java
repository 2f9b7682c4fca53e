package dev.holdfast.upgrader.internal;

import java.util.Collection;
import java.util.List;
import org.osgi.framework.BundleContext;
import org.osgi.framework.hooks.resolver.ResolverHook;
import org.osgi.framework.hooks.resolver.ResolverHookFactory;
import org.osgi.framework.wiring.BundleRevision;

/**
 * Explains why an installed bundle cannot be started: it was built for another version of the
 * platform's packages. The framework's own message names neither the offered version nor a remedy.
 * Runs while the framework holds its lock, and therefore makes no call that needs a resolution.
 */
final class IncompatibleBundles implements ResolverHookFactory {
  private final InstalledBundles bundles;

  /**
   * Uses the framework's context. The context of this bundle would become invalid when this bundle
   * stops for its replacement. The framework may call until then, and a failure of this hook would
   * prevent the start of the bundle in question.
   */
  IncompatibleBundles(BundleContext context) {
    this.bundles = new InstalledBundles(context.getBundle(0).getBundleContext());
  }

  /**
   * Rejects the start of a single bundle that lacks a package of the platform, which would fail
   * anyway. Several bundles together are not checked, because the others may resolve.
   */
  @Override
  public ResolverHook begin(Collection<BundleRevision> triggers) {
    if (triggers.size() == 1) {
      List<String> missing = bundles.missing(triggers.iterator().next().getBundle());
      if (!missing.isEmpty()) {
        throw new IllegalStateException(String.join("\n", missing));
      }
    }
    return null;
  }
}
