package dev.holdfast.upgrader.internal;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.osgi.framework.Version;

/** Finds bundles that need another version of the platform's packages than the exported one. */
final class SpiCheck {
  private static final String OURS = "dev.holdfast.";

  private SpiCheck() {}

  /**
   * Returns one sentence, with the remedy, for each of the platform's packages that a bundle needs
   * and does not find.
   *
   * @param offered packages that are exported when the bundle runs
   */
  static List<String> missing(BundleManifest bundle, Collection<BundleManifest.Export> offered) {
    return bundle.imports().stream()
        .filter(needed -> needed.name().startsWith(OURS) && !isMet(needed, offered))
        .map(needed -> sentence(bundle, needed, "this platform", offered) + remedy(needed, offered))
        .toList();
  }

  /**
   * Returns one sentence, with the remedy, for each of the platform's packages that an installed
   * bundle finds now and does not find after a change.
   */
  static List<String> lost(
      BundleManifest installed,
      Collection<BundleManifest.Export> now,
      Collection<BundleManifest.Export> then) {
    return installed.imports().stream()
        .filter(needed -> needed.name().startsWith(OURS))
        .filter(needed -> isMet(needed, now) && !isMet(needed, then))
        .map(
            needed ->
                "installed bundle "
                    + sentence(installed, needed, "the platform after this change", then)
                    + "uninstall the bundle first, and afterwards install a version of it that was"
                    + " built for that platform")
        .toList();
  }

  private static boolean isMet(
      BundleManifest.Import needed, Collection<BundleManifest.Export> offered) {
    return versions(needed, offered).stream().anyMatch(needed.versions()::includes);
  }

  private static List<Version> versions(
      BundleManifest.Import needed, Collection<BundleManifest.Export> offered) {
    return offered.stream()
        .filter(export -> export.name().equals(needed.name()))
        .map(BundleManifest.Export::version)
        .distinct()
        .sorted()
        .toList();
  }

  private static String sentence(
      BundleManifest bundle,
      BundleManifest.Import needed,
      String platform,
      Collection<BundleManifest.Export> offered) {
    String found =
        versions(needed, offered).stream().map(Version::toString).collect(Collectors.joining(", "));
    return "%s %s needs package %s in version %s, %s offers %s: "
        .formatted(
            bundle.symbolicName(),
            bundle.version(),
            needed.name(),
            needed.versions(),
            platform,
            found.isEmpty() ? "no such package" : found);
  }

  private static String remedy(
      BundleManifest.Import needed, Collection<BundleManifest.Export> offered) {
    Version end = needed.versions().getRight();
    boolean isForAnEarlierMajor =
        end != null && versions(needed, offered).stream().anyMatch(one -> one.compareTo(end) >= 0);
    return isForAnEarlierMajor
        ? "install a version of the bundle that was built for this platform; docs/releases.md lists"
            + " the old and the new names"
        : "upgrade the platform first, or install a version of the bundle that was built for it";
  }
}
