package dev.holdfast.upgrader.internal;

import java.lang.reflect.Field;
import java.util.Map;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes references to an uninstalled bundle in the framework and the logging.
 *
 * <p>Felix (observed with 7.0.5, the latest version) counts the uses of each service by each
 * bundle, and drops a count of zero only when the service is unregistered. Pax Logging (2.3.2)
 * keeps the loggers of each bundle. Archive, manifest and capabilities of each former version of an
 * engine would stay in memory until the container starts again: 20 KiB, and 100 KiB until the
 * bundles are wired again. These programs have no interface to remove the references; with other
 * implementations this class does nothing.
 */
final class StaleBundleCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(StaleBundleCleanup.class);

  private final BundleContext context;

  StaleBundleCleanup(BundleContext context) {
    this.context = context;
  }

  /** Removes references to an uninstalled bundle; ignores other bundles. */
  void forget(Bundle bundle) {
    if (bundle.getState() != Bundle.UNINSTALLED) {
      return;
    }
    quietly(() -> forgetUses(bundle));
    quietly(() -> forgetLoggers(bundle));
  }

  private void forgetUses(Bundle bundle) throws ReflectiveOperationException {
    Object registry = value(context.getBundle(0), "m_registry");
    if (value(registry, "m_inUseMap") instanceof Map<?, ?> uses) {
      uses.remove(bundle);
    }
  }

  /** Users of such a logger can still use it. */
  private static void forgetLoggers(Bundle bundle) throws ReflectiveOperationException {
    Object manager = value(LoggerFactory.getILoggerFactory(), "m_paxLogging");
    if (value(manager, "m_loggers") instanceof Map<?, ?> loggers && !loggers.isEmpty()) {
      // Pax Logging's own lock.
      synchronized (loggers) {
        Field owner = field(loggers.values().iterator().next(), "m_bundle");
        for (var all = loggers.values().iterator(); all.hasNext(); ) {
          if (bundle.equals(owner.get(all.next()))) {
            all.remove();
          }
        }
      }
    }
  }

  private static Object value(Object of, String name) throws ReflectiveOperationException {
    return field(of, name).get(of);
  }

  private static Field field(Object of, String name) throws ReflectiveOperationException {
    Field field = of.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  /** Removes one reference by reflection. */
  private interface Reflection {
    void run() throws ReflectiveOperationException;
  }

  private static void quietly(Reflection what) {
    try {
      what.run();
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.debug("could not release references to a former bundle: {}", e.toString());
    }
  }
}
