package dev.holdfast.upgrader.internal;

import java.util.List;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.wiring.BundleWiring;
import org.osgi.framework.wiring.FrameworkWiring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads and verifies the classes of a new bundle before it is started. Else that is done when the
 * first of them is used: while the requests of a session or volume wait for it.
 */
final class ClassLoading {
  private static final Logger LOG = LoggerFactory.getLogger(ClassLoading.class);
  private static final String ENDING = ".class";

  private ClassLoading() {}

  /** Loads them; the bundle's start reports a class that cannot be loaded, if it is needed. */
  static void of(Bundle bundle, BundleContext context) {
    boolean resolved =
        context.getBundle(0).adapt(FrameworkWiring.class).resolveBundles(List.of(bundle));
    BundleWiring wiring = bundle.adapt(BundleWiring.class);
    if (!resolved || wiring == null) {
      return;
    }
    int options = BundleWiring.LISTRESOURCES_RECURSE | BundleWiring.LISTRESOURCES_LOCAL;
    for (String file : wiring.listResources("/", "*" + ENDING, options)) {
      load(wiring, file.substring(0, file.length() - ENDING.length()).replace('/', '.'));
    }
  }

  private static void load(BundleWiring wiring, String name) {
    try {
      // Asking for its methods links a class, and runs none of its code.
      int unused = wiring.getClassLoader().loadClass(name).getDeclaredMethods().length;
    } catch (ClassNotFoundException | LinkageError e) {
      LOG.debug("class {} is not loaded ahead: {}", name, e.toString());
    }
  }
}
