package dev.holdfast.upgrader.internal;

import java.lang.reflect.Field;
import java.util.Map;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Felix keeps of a bundle that is no more.
 *
 * <p>Felix (seen with 7.0.5, the last there is) keeps how often each bundle uses each service, and
 * drops a count of zero only when the service goes. So of each bundle that used a service which
 * stays, its archive, manifest and capabilities stay in memory until the container starts anew: 20
 * KiB for each former version of an engine. No interface of OSGi takes them away; with another
 * framework, or another layout of this one, nothing is done.
 */
final class UsageCounts {
  private static final Logger LOG = LoggerFactory.getLogger(UsageCounts.class);

  private final BundleContext context;

  UsageCounts(BundleContext context) {
    this.context = context;
  }

  /** Lets a bundle go that is uninstalled; of others nothing is changed. */
  void forget(Bundle bundle) {
    if (bundle.getState() != Bundle.UNINSTALLED) {
      return;
    }
    try {
      Object registry = field(context.getBundle(0), "m_registry");
      if (field(registry, "m_inUseMap") instanceof Map<?, ?> uses) {
        uses.remove(bundle);
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.debug("{}: what the framework keeps of it stays", bundle, e);
    }
  }

  private static Object field(Object of, String name) throws ReflectiveOperationException {
    Field field = of.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(of);
  }
}
