package dev.holdfast.upgrader.internal;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Refuses a bundle that needs another version of the platform's packages than there will be. */
final class SpiCheck {
  private static final String OURS = "dev.holdfast.";

  private SpiCheck() {}

  /**
   * Returns one sentence for each package of ours that a bundle needs and would not find.
   *
   * @param there what is exported after the change
   */
  static List<String> missing(BundleManifest wanted, Collection<BundleManifest.Export> there) {
    return wanted.imports().stream()
        .filter(needed -> needed.name().startsWith(OURS))
        .filter(needed -> matching(needed, there).findAny().isEmpty())
        .map(needed -> sentence(wanted, needed, there))
        .toList();
  }

  private static Stream<BundleManifest.Export> matching(
      BundleManifest.Import needed, Collection<BundleManifest.Export> there) {
    return named(needed, there).filter(export -> needed.versions().includes(export.version()));
  }

  private static Stream<BundleManifest.Export> named(
      BundleManifest.Import needed, Collection<BundleManifest.Export> there) {
    return there.stream().filter(export -> export.name().equals(needed.name()));
  }

  private static String sentence(
      BundleManifest wanted,
      BundleManifest.Import needed,
      Collection<BundleManifest.Export> there) {
    String found =
        named(needed, there)
            .map(export -> export.version().toString())
            .distinct()
            .collect(Collectors.joining(" and "));
    return wanted.symbolicName()
        + " "
        + wanted.version()
        + " needs package "
        + needed.name()
        + " in version "
        + needed.versions()
        + "; this platform has "
        + (found.isEmpty() ? "no such package" : found)
        + ": upgrade the platform first, or take a version of the bundle that was made for it";
  }
}
