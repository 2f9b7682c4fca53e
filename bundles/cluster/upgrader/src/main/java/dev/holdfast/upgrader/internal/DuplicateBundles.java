package dev.holdfast.upgrader.internal;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops the lower of two versions of a bundle whose work cannot be moved, for example an attacher.
 * A new jar in {@code deploy/} is installed beside the old one. The lower version runs again when
 * the higher one is removed. For one thread.
 */
final class DuplicateBundles {
  private static final Logger LOG = LoggerFactory.getLogger(DuplicateBundles.class);

  private final InstalledBundles bundles;
  private final ServingParts parts;

  /** The bundles that this code, or its previous version, stopped. */
  private final Set<Long> gaveWay = new HashSet<>();

  DuplicateBundles(InstalledBundles bundles, ServingParts parts) {
    this.bundles = bundles;
    this.parts = parts;
  }

  /** Detects bundles that were stopped before this code was installed. */
  void learn(String symbolicName) {
    boolean higherRuns = false;
    List<Bundle> all = startedForGood(symbolicName);
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).getState() == Bundle.ACTIVE) {
        higherRuns = true;
      } else if (higherRuns) {
        gaveWay.add(all.get(i).getBundleId());
      }
    }
  }

  /** Handles a bundle that was started, updated or removed. */
  void look(String symbolicName) {
    List<Bundle> all = startedForGood(symbolicName);
    if (all.isEmpty() || all.stream().anyMatch(this::isMoved)) {
      return;
    }
    Optional<Bundle> runs = Optional.empty();
    for (int i = all.size() - 1; i >= 0 && runs.isEmpty(); i--) {
      runs = Optional.of(all.get(i)).filter(this::runs);
    }
    if (runs.isPresent()) {
      Bundle chosen = runs.get();
      all.stream()
          .filter(bundle -> !bundle.equals(chosen) && bundle.getState() == Bundle.ACTIVE)
          .forEach(this::giveWay);
    }
  }

  private List<Bundle> startedForGood(String symbolicName) {
    return bundles.named(symbolicName).stream()
        .filter(bundle -> bundle.adapt(BundleStartLevel.class).isPersistentlyStarted())
        .toList();
  }

  private boolean isMoved(Bundle bundle) {
    String kind = bundles.kind(bundle);
    return kind.equals("frontend")
        || kind.equals("engine")
        || !parts.offeredBy(bundle.getBundleId()).isEmpty();
  }

  /**
   * A bundle that another program stopped stays stopped, because that program may be replacing it.
   */
  private boolean runs(Bundle bundle) {
    if (gaveWay.remove(bundle.getBundleId()) && bundle.getState() != Bundle.ACTIVE) {
      start(bundle);
    }
    return bundle.getState() == Bundle.ACTIVE;
  }

  private void start(Bundle bundle) {
    try {
      bundle.start(Bundle.START_TRANSIENT);
    } catch (BundleException e) {
      LOG.warn("{} does not start: {}", bundle, e.getMessage());
      if (e.getType() != BundleException.ACTIVATOR_ERROR) {
        gaveWay.add(bundle.getBundleId());
      }
    }
  }

  private void giveWay(Bundle bundle) {
    try {
      LOG.info("{} gives way to a higher version", bundle);
      bundle.stop(Bundle.STOP_TRANSIENT);
      gaveWay.add(bundle.getBundleId());
    } catch (BundleException e) {
      LOG.warn("{} cannot be stopped: {}", bundle, e.getMessage());
    }
  }
}
