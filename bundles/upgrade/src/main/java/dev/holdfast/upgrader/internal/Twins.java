package dev.holdfast.upgrader.internal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Of two versions of a bundle that nobody moves work between, an attacher for example, only the
 * higher one runs: a person who drops a jar into {@code deploy/} has both installed. The lower one
 * runs again when the higher one goes. For one thread.
 */
final class Twins {
  private static final Logger LOG = LoggerFactory.getLogger(Twins.class);

  private final InstalledBundles bundles;
  private final Parts parts;

  /** Bundles whose activator failed, and when they got the content of which it is. */
  private final Map<Long, Long> failed = new HashMap<>();

  Twins(InstalledBundles bundles, Parts parts) {
    this.bundles = bundles;
    this.parts = parts;
  }

  /** A bundle of ours was started or went. */
  void look(String symbolicName) {
    List<Bundle> all =
        bundles.named(symbolicName).stream()
            .filter(bundle -> bundle.adapt(BundleStartLevel.class).isPersistentlyStarted())
            .toList();
    if (all.isEmpty() || all.stream().anyMatch(this::isMoved)) {
      return;
    }
    Optional<Bundle> runs = Optional.empty();
    for (int i = all.size() - 1; i >= 0 && runs.isEmpty(); i--) {
      runs = Optional.of(all.get(i)).filter(this::starts);
    }
    if (runs.isPresent()) {
      Bundle chosen = runs.get();
      all.stream()
          .filter(bundle -> !bundle.equals(chosen) && bundle.getState() == Bundle.ACTIVE)
          .forEach(Twins::stop);
    }
  }

  private boolean isMoved(Bundle bundle) {
    String kind = bundles.kind(bundle);
    return kind.equals("frontend")
        || kind.equals("engine")
        || !parts.offeredBy(bundle.getBundleId()).isEmpty();
  }

  private boolean starts(Bundle bundle) {
    if (bundle.getState() != Bundle.ACTIVE && !hasFailed(bundle)) {
      start(bundle);
    }
    return bundle.getState() == Bundle.ACTIVE;
  }

  /** A start that fails is told as a stop, and a stop is a reason to look again. */
  private boolean hasFailed(Bundle bundle) {
    return Long.valueOf(bundle.getLastModified()).equals(failed.get(bundle.getBundleId()));
  }

  private void start(Bundle bundle) {
    long lastModified = bundle.getLastModified();
    try {
      bundle.start(Bundle.START_TRANSIENT);
      failed.remove(bundle.getBundleId());
    } catch (BundleException e) {
      LOG.warn("{} does not start: {}", bundle, e.getMessage());
      if (e.getType() == BundleException.ACTIVATOR_ERROR) {
        failed.put(bundle.getBundleId(), lastModified);
      }
    }
  }

  private static void stop(Bundle bundle) {
    try {
      LOG.info("{} gives way to a higher version", bundle);
      bundle.stop(Bundle.STOP_TRANSIENT);
    } catch (BundleException e) {
      LOG.warn("{} cannot be stopped: {}", bundle, e.getMessage());
    }
  }
}
