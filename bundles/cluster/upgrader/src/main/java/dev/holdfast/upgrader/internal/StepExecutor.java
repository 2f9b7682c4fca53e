package dev.holdfast.upgrader.internal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.osgi.framework.Bundle;
import org.osgi.framework.Version;
import org.osgi.framework.startlevel.BundleStartLevel;

/** Executes one step while the platform runs, and undoes it. For one thread. */
final class StepExecutor {
  private static final long LOOK_MILLIS = 20;

  private final InstalledBundles bundles;
  private final ServingParts parts;
  private final BundleHealth health;
  private final UpgradeSettings settings;

  StepExecutor(
      InstalledBundles bundles, ServingParts parts, BundleHealth health, UpgradeSettings settings) {
    this.bundles = bundles;
    this.parts = parts;
    this.health = health;
    this.settings = settings;
  }

  /** Replaces the bundle; after an exception {@link #undo} restores the former state. */
  void apply(UpgradeStep step) throws UpgradeException {
    switch (step.way()) {
      case SIDE_BY_SIDE -> sideBySide(step);
      case IN_PLACE -> inPlace(step, Path.of(step.jar()), true);
      case INSTALL -> {
        Bundle bundle = bundles.install(Path.of(step.jar()), step.level());
        bundles.start(bundle);
        watch(bundle, Set.of());
      }
      case REMOVE -> remove(step.bundle(), step.versionBefore());
      case NOTHING -> {}
      case AT_RESTART ->
          throw new UpgradeException(step.bundle() + " is replaced by a restart only");
    }
  }

  private void remove(String name, String version) throws UpgradeException {
    Optional<Bundle> found = bundles.with(name, version);
    if (found.isPresent()) {
      bundles.uninstall(found.get());
      bundles.refresh(List.of(found.get()));
    }
  }

  private void sideBySide(UpgradeStep step) throws UpgradeException {
    Bundle old =
        bundles
            .with(step.bundle(), step.versionBefore())
            .orElseThrow(
                () ->
                    new UpgradeException(step.bundle() + " " + step.versionBefore() + " is gone"));
    Set<String> offered = parts.offeredBy(old.getBundleId());
    Set<String> expected = health.satisfied(old);
    Bundle fresh = bundles.install(Path.of(step.jar()), step.level());
    // The code that moves the work may never have run, so its classes are loaded in advance too.
    parts.movers().forEach(bundles::prepare);
    bundles.prepare(fresh);
    bundles.start(fresh);
    if (Version.parseVersion(step.version()).compareTo(old.getVersion()) < 0) {
      // The higher version keeps the work in use while it offers the part.
      bundles.stop(old);
    }
    awaitMove(offered, fresh);
    watch(fresh, expected);
    bundles.uninstall(old);
    bundles.refresh(List.of(old));
  }

  private void awaitMove(Set<String> offered, Bundle target) throws UpgradeException {
    await(
        settings.patience(),
        () -> parts.notMoved(offered, target.getBundleId()),
        () -> parts.failure(target.getBundleId()));
  }

  private void inPlace(UpgradeStep step, Path jar, boolean mustBeWell) throws UpgradeException {
    Bundle bundle =
        bundles
            .newest(step.bundle())
            .orElseThrow(() -> new UpgradeException(step.bundle() + " is gone"));
    Set<String> expected = health.satisfied(bundle);
    boolean runs = bundle.adapt(BundleStartLevel.class).isPersistentlyStarted();
    Set<String> offered = parts.offeredBy(bundle.getBundleId());
    bundles.update(bundle, jar);
    bundles.refresh(List.of(bundle));
    if (mustBeWell && runs) {
      bundles.start(bundle);
      await(settings.patience(), () -> health.trouble(bundle, expected), Optional::empty);
      awaitMove(offered, bundle);
      watch(bundle, expected);
    }
  }

  /** Observes a new bundle until its probation ends. */
  private void watch(Bundle bundle, Set<String> expected) throws UpgradeException {
    await(settings.patience(), () -> health.trouble(bundle, expected), Optional::empty);
    long end = System.nanoTime() + settings.probation().toNanos();
    while (System.nanoTime() - end < 0) {
      Optional<String> trouble =
          health.trouble(bundle, expected).or(() -> parts.failure(bundle.getBundleId()));
      if (trouble.isPresent()) {
        throw new UpgradeException("within its probation: " + trouble.get());
      }
      pause();
    }
  }

  /** Undoes a step; keeps parts that are already in place. */
  void undo(UpgradeStep step) throws UpgradeException {
    switch (step.way()) {
      case SIDE_BY_SIDE -> backBeside(step);
      case IN_PLACE -> {
        inPlace(step, Path.of(step.before()), false);
        bundles.start(bundles.newest(step.bundle()).orElseThrow());
      }
      case INSTALL -> remove(step.bundle(), step.version());
      case REMOVE -> startOld(step);
      case NOTHING, AT_RESTART -> {}
    }
  }

  private void backBeside(UpgradeStep step) throws UpgradeException {
    Bundle old = startOld(step);
    Optional<Bundle> fresh = bundles.with(step.bundle(), step.version());
    if (fresh.isPresent()) {
      Set<String> offered = parts.offeredBy(fresh.get().getBundleId());
      bundles.uninstall(fresh.get());
      bundles.refresh(List.of(fresh.get()));
      await(settings.patience(), () -> parts.notMoved(offered, old.getBundleId()), Optional::empty);
    }
  }

  private Bundle startOld(UpgradeStep step) throws UpgradeException {
    Optional<Bundle> there = bundles.with(step.bundle(), step.versionBefore());
    Bundle old =
        there.isPresent() ? there.get() : bundles.install(Path.of(step.before()), step.level());
    bundles.start(old);
    return old;
  }

  /**
   * Undoes a step while the container starts, before the affected bundles are started. Afterwards
   * the old content is installed exactly once.
   *
   * @return the bundle whose content was changed
   */
  Optional<Bundle> restore(UpgradeStep step) throws UpgradeException {
    if (step.before().isEmpty()) {
      bundles.with(step.bundle(), step.version()).ifPresent(bundles::discard);
      return Optional.empty();
    }
    return switch (step.way()) {
      case SIDE_BY_SIDE -> {
        Bundle old = startOld(step);
        bundles.with(step.bundle(), step.version()).ifPresent(bundles::discard);
        yield Optional.of(old);
      }
      case REMOVE -> Optional.of(startOld(step));
      case IN_PLACE, AT_RESTART, INSTALL, NOTHING -> Optional.of(put(step, Path.of(step.before())));
    };
  }

  /**
   * Removes a bundle while the container starts.
   *
   * @return the removed bundle, to which others may still be wired
   */
  Optional<Bundle> takeAway(UpgradeStep step) {
    Optional<Bundle> found = bundles.with(step.bundle(), step.versionBefore());
    found.ifPresent(bundles::discard);
    return found;
  }

  /** Installs a content in the place of a bundle, or as a new bundle if that bundle is missing. */
  Bundle put(UpgradeStep step, Path content) throws UpgradeException {
    Optional<Bundle> there = bundles.newest(step.bundle());
    if (there.isPresent()) {
      bundles.update(there.get(), content);
      return there.get();
    }
    Bundle bundle = bundles.install(content, step.level());
    bundles.start(bundle);
    return bundle;
  }

  /** Waits until a bundle works; throws after a time-out. */
  void awaitHealth(Bundle bundle, Set<String> expected, Duration patience) throws UpgradeException {
    await(
        patience.compareTo(settings.patience()) < 0 ? patience : settings.patience(),
        () -> health.trouble(bundle, expected),
        () -> parts.failure(bundle.getBundleId()));
  }

  /** Observes bundles after a restart; throws if one of them does not work. */
  void verify(List<UpgradeStep> steps) throws UpgradeException {
    for (UpgradeStep step : steps) {
      Optional<Bundle> bundle = bundles.newest(step.bundle());
      if (step.way() != ReplacementStrategy.REMOVE
          && step.way() != ReplacementStrategy.NOTHING
          && bundle.isPresent()) {
        await(settings.patience(), () -> health.trouble(bundle.get(), Set.of()), Optional::empty);
      }
    }
  }

  private static void await(
      Duration patience, Supplier<Optional<String>> open, Supplier<Optional<String>> failure)
      throws UpgradeException {
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      Optional<String> failed = failure.get();
      if (failed.isPresent()) {
        throw new UpgradeException(failed.get());
      }
      Optional<String> waits = open.get();
      if (waits.isEmpty()) {
        return;
      }
      if (System.nanoTime() - end >= 0) {
        throw new UpgradeException("after " + patience.toSeconds() + " s: " + waits.get());
      }
      pause();
    }
  }

  private static void pause() throws UpgradeException {
    try {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UpgradeException("interrupted: the platform stops", e);
    }
  }
}
