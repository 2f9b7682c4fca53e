package dev.holdfast.upgrader.internal;

import java.util.List;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.wiring.BundleWiring;
import org.osgi.framework.wiring.FrameworkWiring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads and verifies the classes of a new bundle before it is started. Otherwise this happens at
 * the first use of each class, while requests of a session or volume wait.
 */
final class ClassLoading {
  private static final Logger LOG = LoggerFactory.getLogger(ClassLoading.class);
  private static final String ENDING = ".class";

  private ClassLoading() {}

  /**
   * Loads the classes. Errors are ignored here: the bundle's start reports a missing class if it is
   * needed.
   */
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
      // Reading its methods links a class without running its code.
      int unused = wiring.getClassLoader().loadClass(name).getDeclaredMethods().length;
    } catch (ClassNotFoundException | LinkageError e) {
      LOG.debug("class {} is not loaded ahead: {}", name, e.toString());
    }
  }
}
