package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.osgi.framework.Bundle;
import org.osgi.framework.Version;
import org.osgi.framework.startlevel.BundleStartLevel;

/** Decides how each bundle of a change is replaced. Changes only the kept jars. */
final class Planner {
  private final InstalledBundles bundles;
  private final ServingParts parts;
  private final JarStore jars;

  Planner(InstalledBundles bundles, ServingParts parts, JarStore jars) {
    this.bundles = bundles;
    this.parts = parts;
    this.jars = jars;
  }

  /**
   * Returns one step per jar; a jar comes after those whose packages it needs.
   *
   * @throws UpgradeException when one needs packages that would be absent
   */
  List<UpgradeStep> plan(List<SourceBundle> wanted) throws UpgradeException, IOException {
    return plan(wanted, List.of());
  }

  /**
   * Returns the steps to a release. The last steps remove bundles that the release does not
   * contain; foreign bundles stay.
   */
  List<UpgradeStep> planRelease(List<SourceBundle> wanted) throws UpgradeException, IOException {
    Set<String> names = new HashSet<>();
    for (SourceBundle bundle : wanted) {
      names.add(bundle.content().manifest().symbolicName());
    }
    List<SourceBundle> surplus = new ArrayList<>();
    for (Bundle bundle : bundles.ofThePlatform()) {
      if (!names.contains(bundle.getSymbolicName())) {
        surplus.add(new SourceBundle(JarContent.of(bundle), OptionalInt.empty()));
      }
    }
    return plan(wanted, surplus);
  }

  private List<UpgradeStep> plan(List<SourceBundle> wanted, List<SourceBundle> surplus)
      throws UpgradeException, IOException {
    List<SourceBundle> usersFirst = providersFirst(surplus);
    Collections.reverse(usersFirst);
    List<UpgradeStep> removals = new ArrayList<>();
    for (SourceBundle bundle : usersFirst) {
      removals.add(removal(bundle.content()));
    }
    return planWith(wanted, removals);
  }

  /**
   * Returns one step per jar, and the removals in their places.
   *
   * @throws UpgradeException when a bundle, including a remaining one, needs packages that would be
   *     absent
   */
  List<UpgradeStep> planWith(List<SourceBundle> wanted, List<UpgradeStep> removals)
      throws UpgradeException, IOException {
    Map<String, BundleManifest> after = new HashMap<>();
    for (SourceBundle bundle : wanted) {
      BundleManifest manifest = bundle.content().manifest();
      after.put(manifest.symbolicName(), manifest);
    }
    Set<String> gone = removals.stream().map(UpgradeStep::bundle).collect(Collectors.toSet());
    InstalledPackages packages = bundles.packages();
    checkPackages(packages, after, gone);
    List<UpgradeStep> steps = new ArrayList<>();
    for (SourceBundle bundle : providersFirst(wanted)) {
      steps.add(step(bundle, stopsOthers(packages, bundle.content().manifest(), gone)));
    }
    return withRemovals(steps, removals);
  }

  /**
   * Returns whether installed bundles would lack packages after this one is replaced. If so, all
   * are replaced together before any of them runs.
   */
  private static boolean stopsOthers(
      InstalledPackages packages, BundleManifest manifest, Set<String> gone) {
    Set<String> except = new HashSet<>(gone);
    except.add(manifest.symbolicName());
    return !packages
        .lost(except, packages.after(Set.of(manifest.symbolicName()), manifest.exports()))
        .isEmpty();
  }

  /**
   * While the platform runs, removals are the last steps, because other bundles may need these
   * bundles until then. At a start all steps run before any bundle; there removals are the first
   * steps, so that a rollback installs them before the bundles that need them.
   */
  static List<UpgradeStep> withRemovals(List<UpgradeStep> changes, List<UpgradeStep> removals) {
    boolean atRestart =
        changes.stream().anyMatch(step -> step.way() == ReplacementStrategy.AT_RESTART);
    List<UpgradeStep> steps = new ArrayList<>(atRestart ? removals : changes);
    steps.addAll(atRestart ? changes : removals);
    return steps;
  }

  private UpgradeStep removal(JarContent jar) throws UpgradeException, IOException {
    String name = jar.manifest().symbolicName();
    Bundle old = bundles.newest(name).orElseThrow(() -> new UpgradeException(name + " is gone"));
    return new UpgradeStep(
        name,
        bundles.kind(old),
        ReplacementStrategy.REMOVE,
        pause(ReplacementStrategy.REMOVE, old),
        "",
        "",
        jars.keep(jar).toString(),
        old.getVersion().toString(),
        old.adapt(BundleStartLevel.class).getStartLevel(),
        UpgradeStep.State.PLANNED);
  }

  /** A new bundle would otherwise be started before the bundles that it needs are installed. */
  private static List<SourceBundle> providersFirst(List<SourceBundle> wanted) throws IOException {
    List<SourceBundle> ordered = new ArrayList<>();
    List<SourceBundle> left = new ArrayList<>(wanted);
    while (!left.isEmpty()) {
      int next = 0;
      for (int i = left.size() - 1; i >= 0; i--) {
        next = needsNoneOf(left.get(i), left) ? i : next;
      }
      // Bundles that need each other keep their order.
      ordered.add(left.remove(next));
    }
    return ordered;
  }

  private static boolean needsNoneOf(SourceBundle bundle, List<SourceBundle> others)
      throws IOException {
    Set<String> offered = new HashSet<>();
    for (SourceBundle other : others) {
      if (other.content() != bundle.content()) {
        other.content().manifest().exports().forEach(export -> offered.add(export.name()));
      }
    }
    BundleManifest manifest = bundle.content().manifest();
    manifest.exports().forEach(export -> offered.remove(export.name()));
    return manifest.imports().stream().noneMatch(needed -> offered.contains(needed.name()));
  }

  private static void checkPackages(
      InstalledPackages packages, Map<String, BundleManifest> after, Set<String> gone)
      throws UpgradeException {
    Set<String> changed = new HashSet<>(gone);
    changed.addAll(after.keySet());
    List<BundleManifest.Export> exports =
        packages.after(
            changed,
            after.values().stream().flatMap(manifest -> manifest.exports().stream()).toList());
    List<String> missing = new ArrayList<>();
    after.values().forEach(manifest -> missing.addAll(SpiCheck.missing(manifest, exports)));
    missing.addAll(packages.lost(changed, exports));
    if (!missing.isEmpty()) {
      throw new UpgradeException(String.join("\n", missing));
    }
  }

  private UpgradeStep step(SourceBundle wanted, boolean stopsOthers) throws IOException {
    JarContent jar = wanted.content();
    BundleManifest manifest = jar.manifest();
    String path = jars.keep(jar).toString();
    Optional<Bundle> installed = bundles.newest(manifest.symbolicName());
    if (installed.isEmpty()) {
      return new UpgradeStep(
          manifest.symbolicName(),
          "platform",
          ReplacementStrategy.INSTALL,
          "none",
          path,
          manifest.version().toString(),
          "",
          "",
          wanted.level().orElse(bundles.levelOfNew()),
          UpgradeStep.State.PLANNED);
    }
    Bundle old = installed.get();
    JarContent before = JarContent.of(old);
    ReplacementStrategy way =
        before.digest().equals(jar.digest())
            ? ReplacementStrategy.NOTHING
            : way(old, manifest.version(), stopsOthers);
    return new UpgradeStep(
        manifest.symbolicName(),
        bundles.kind(old),
        way,
        pause(way, old),
        path,
        manifest.version().toString(),
        jars.keep(before).toString(),
        old.getVersion().toString(),
        old.adapt(BundleStartLevel.class).getStartLevel(),
        UpgradeStep.State.PLANNED);
  }

  private ReplacementStrategy way(Bundle old, Version version, boolean stopsOthers) {
    if (stopsOthers || bundles.carriesData(old)) {
      return ReplacementStrategy.AT_RESTART;
    }
    boolean canMove = !parts.offeredBy(old.getBundleId()).isEmpty();
    return canMove && !old.getVersion().equals(version)
        ? ReplacementStrategy.SIDE_BY_SIDE
        : ReplacementStrategy.IN_PLACE;
  }

  private String pause(ReplacementStrategy way, Bundle old) {
    return switch (way) {
      case NOTHING -> "none: the same content is installed";
      case INSTALL, REMOVE -> "none";
      case AT_RESTART -> "volumes stall until the container has started again";
      case SIDE_BY_SIDE ->
          parts
              .longestPause(old.getBundleId())
              .map(longest -> "the longest of the last take-over was " + millis(longest.toNanos()))
              .orElse("requests wait while their session or volume moves");
      case IN_PLACE ->
          switch (bundles.kind(old)) {
            case "frontend", "engine" -> "requests wait while the bundle is replaced";
            default -> "none: the data path does not use it";
          };
    };
  }

  private static String millis(long nanos) {
    return String.format(java.util.Locale.ROOT, "%.1f ms", nanos / 1e6);
  }
}
