package dev.holdfast.upgrader.internal;

import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.BundleTroubles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;

/** Reports about plugins from their callers. Thread-safe. */
final class BundleTroubleIndex {
  private final BundleContext context;

  BundleTroubleIndex(BundleContext context) {
    this.context = context;
  }

  List<BundleTrouble> now() {
    List<BundleTrouble> all = new ArrayList<>();
    try {
      for (ServiceReference<BundleTroubles> reference :
          context.getServiceReferences(BundleTroubles.class, null)) {
        BundleTroubles watcher = context.getService(reference);
        if (watcher != null) {
          all.addAll(watcher.troubles());
          context.ungetService(reference);
        }
      }
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException("no filter was given", e);
    }
    return all;
  }

  /** Returns the present fault of a bundle. */
  Optional<String> of(long bundle) {
    return now().stream()
        .filter(trouble -> trouble.bundle() == bundle)
        .map(trouble -> trouble.name() + ": " + trouble.message())
        .findFirst();
  }
}
