package dev.holdfast.upgrader.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The packages that installed bundles export and import, at the time of creation. Immutable.
 *
 * @param exports exported packages, with the symbolic name of their bundle
 * @param users the installed bundles
 */
record InstalledPackages(List<Offer> exports, List<BundleManifest> users) {
  /** A package that an installed bundle exports. */
  record Offer(String bundle, BundleManifest.Export export) {}

  InstalledPackages {
    exports = List.copyOf(exports);
    users = List.copyOf(users);
  }

  /** Returns the exported packages without those of the given bundles. */
  List<BundleManifest.Export> without(Set<String> bundles) {
    return exports.stream()
        .filter(offer -> !bundles.contains(offer.bundle()))
        .map(Offer::export)
        .toList();
  }

  /**
   * Returns the exported packages after the given bundles are replaced by others with these
   * exports.
   */
  List<BundleManifest.Export> after(
      Set<String> replaced, Collection<BundleManifest.Export> exportsOfOthers) {
    List<BundleManifest.Export> all = new ArrayList<>(without(replaced));
    all.addAll(exportsOfOthers);
    return all;
  }

  /**
   * Returns one sentence for each package that an installed bundle finds now and does not find
   * among the given ones.
   *
   * @param except bundles that are not checked
   */
  List<String> lost(Set<String> except, Collection<BundleManifest.Export> then) {
    List<BundleManifest.Export> now = without(Set.of());
    return users.stream()
        .filter(user -> !except.contains(user.symbolicName()))
        .flatMap(user -> SpiCheck.lost(user, now, then).stream())
        .distinct()
        .toList();
  }
}
