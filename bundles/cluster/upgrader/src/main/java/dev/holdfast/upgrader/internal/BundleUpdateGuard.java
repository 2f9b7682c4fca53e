package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.osgi.framework.Bundle;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Protects users of Karaf's own commands: keeps the last good jar of each of our bundles, and
 * restores it when {@code bundle:update} installed one that does not work. For one thread.
 */
final class BundleUpdateGuard {
  private static final Logger LOG = LoggerFactory.getLogger(BundleUpdateGuard.class);

  private static final Duration SETTLING = Duration.ofSeconds(10);

  private final InstalledBundles bundles;
  private final StepExecutor replacement;
  private final BundleHealth health;
  private final JarStore jars;
  private final LastGoodJars good;
  private final Journal journal;
  private final Clock clock;

  BundleUpdateGuard(
      InstalledBundles bundles,
      StepExecutor replacement,
      BundleHealth health,
      JarStore jars,
      LastGoodJars good,
      Journal journal,
      Clock clock) {
    this.bundles = bundles;
    this.replacement = replacement;
    this.health = health;
    this.jars = jars;
    this.good = good;
    this.journal = journal;
    this.clock = clock;
  }

  /**
   * Checks a bundle that was started or updated.
   *
   * @param ran whether it ran until it was updated: Karaf stops a bundle before an update, and
   *     leaves it stopped when the update fails
   */
  void look(Bundle bundle, boolean ran) throws IOException {
    try {
      lookAtPresent(bundle, ran);
    } catch (IllegalStateException e) {
      if (bundle.getState() != Bundle.UNINSTALLED) {
        throw e;
      }
      LOG.debug("{} was removed while it was checked", bundle, e);
    }
  }

  /**
   * Checks the remaining bundle after one of two bundles of a name was removed, because duplicates
   * are not checked. A stopped bundle is checked when it starts.
   */
  void lookAtTheLast(String symbolicName) throws IOException {
    Optional<Bundle> left =
        bundles.newest(symbolicName).filter(bundle -> bundle.getState() == Bundle.ACTIVE);
    if (left.isPresent()) {
      look(left.get(), true);
    }
  }

  private void lookAtPresent(Bundle bundle, boolean ran) throws IOException {
    // A second bundle of the same name is on trial: the previous one stays the good one until only
    // one is left.
    if (bundle.getState() == Bundle.UNINSTALLED
        || good.isKnown(bundle)
        || bundles.named(bundle.getSymbolicName()).size() > 1
        || !(ran || bundle.adapt(BundleStartLevel.class).isPersistentlyStarted())
        // Checked by its headers, because reading all content of a foreign bundle at each start
        // takes long.
        || !BundleManifest.of(bundle).isOurs()) {
      return;
    }
    long lastModified = bundle.getLastModified();
    JarContent content = JarContent.of(bundle);
    if (!content.manifest().isOurs()) {
      return;
    }
    Path now = jars.keep(content);
    Optional<LastGoodJars.Entry> before = good.of(bundle.getSymbolicName());
    boolean changed = before.isPresent() && !Path.of(before.get().jar()).equals(now);
    if (!changed) {
      if (bundle.getState() == Bundle.ACTIVE) {
        good.put(bundle, lastModified, now, health.satisfied(bundle));
      }
      return;
    }
    judge(bundle, lastModified, now, before.get());
  }

  /**
   * Accepts the result of an operation permanently, because it was already checked. Another program
   * may have updated a bundle since; then the operation's content is the last good one.
   */
  void accept(Operation operation) throws IOException {
    for (UpgradeStep step : operation.steps()) {
      Optional<Bundle> bundle = bundles.newest(step.bundle());
      if (step.way() != ReplacementStrategy.NOTHING
          && bundle.isPresent()
          && bundle.get().getState() == Bundle.ACTIVE) {
        accept(step, bundle.get());
      }
    }
  }

  private void accept(UpgradeStep step, Bundle bundle) throws IOException {
    switch (step.state()) {
      case PLANNED -> {
        // The step was not started.
      }
      case RUNNING -> accept(bundle, "", "");
      case DONE -> accept(bundle, step.jar(), step.version());
      case UNDONE -> accept(bundle, step.before(), step.versionBefore());
    }
  }

  /** Accepts a bundle; {@code left} is empty when the content is unknown. */
  private void accept(Bundle bundle, String left, String version) throws IOException {
    long lastModified = bundle.getLastModified();
    Path now = jars.keep(JarContent.of(bundle));
    if (left.isEmpty() || now.equals(Path.of(left))) {
      good.put(bundle, lastModified, now, health.satisfied(bundle));
    } else {
      good.putEarlier(bundle.getSymbolicName(), left, version);
    }
  }

  private void judge(Bundle bundle, long lastModified, Path now, LastGoodJars.Entry before)
      throws IOException {
    Operation operation = operation(bundle, now, before);
    try {
      replacement.awaitHealth(bundle, Set.copyOf(before.components()), SETTLING);
      good.put(bundle, lastModified, now, health.satisfied(bundle));
      journal.record(operation.ended(Operation.State.DONE, operation.started(), ""));
    } catch (UpgradeException e) {
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
      if (!isStill(bundle, now)) {
        LOG.info("{}; it was replaced or removed since", e.getMessage());
        return;
      }
      LOG.warn("{}; restoring the former jar", e.getMessage());
      back(operation, e.getMessage());
    }
  }

  /** Returns whether the bundle is unchanged; newer content gets its own check. */
  private boolean isStill(Bundle bundle, Path content) throws IOException {
    return bundles.newest(bundle.getSymbolicName()).filter(bundle::equals).isPresent()
        && JarContent.of(bundle).digest().equals(JarContent.of(content).digest());
  }

  private void back(Operation operation, String reason) throws IOException {
    try {
      replacement.undo(operation.steps().get(0));
      journal.record(
          operation
              .with(0, UpgradeStep.State.UNDONE)
              .ended(Operation.State.WENT_BACK, clock.instant().toString(), reason));
      bundles
          .newest(operation.steps().get(0).bundle())
          .ifPresent(
              bundle ->
                  good.put(
                      bundle,
                      bundle.getLastModified(),
                      Path.of(operation.steps().get(0).before()),
                      health.satisfied(bundle)));
    } catch (UpgradeException e) {
      LOG.error("{} did not go back", operation.steps().get(0).bundle(), e);
      journal.record(
          operation.ended(
              Operation.State.FAILED,
              clock.instant().toString(),
              reason + "; it did not go back: " + e.getMessage()));
    }
  }

  private Operation operation(Bundle bundle, Path now, LastGoodJars.Entry before) {
    UpgradeStep step =
        new UpgradeStep(
            bundle.getSymbolicName(),
            bundles.kind(bundle),
            ReplacementStrategy.IN_PLACE,
            "",
            now.toString(),
            bundle.getVersion().toString(),
            before.jar(),
            before.version(),
            bundle.adapt(BundleStartLevel.class).getStartLevel(),
            UpgradeStep.State.DONE);
    return new Operation(
        UUID.randomUUID().toString(),
        "bundle:update " + bundle.getSymbolicName(),
        Operation.State.RUNNING,
        clock.instant().toString(),
        "",
        "",
        "",
        List.of(step));
  }

  /** Deletes kept jars that are no longer needed. */
  void tidy() throws IOException {
    Set<Path> wanted = new java.util.HashSet<>(journal.jars());
    wanted.addAll(good.jars());
    wanted.removeIf(path -> !Files.exists(path));
    jars.retain(wanted);
  }
}
