package dev.holdfast.portal.internal.session;

import java.lang.module.ModuleDescriptor.Version;
import java.util.Comparator;
import java.util.Objects;

/**
 * Origin of a frontend. Among those of one name the one with the higher ranking serves, then the
 * one of the higher version.
 *
 * @param bundle number of the bundle in the OSGi framework
 * @param symbolicName symbolic name of the bundle, not null
 * @param version version of the bundle in OSGi syntax, not null
 * @param ranking ranking of the service
 */
public record FrontendRank(long bundle, String symbolicName, String version, int ranking) {
  static final Comparator<FrontendRank> ORDER =
      Comparator.comparingInt(FrontendRank::ranking)
          .thenComparing(origin -> Version.parse(origin.version()));

  /** Checks the names. */
  public FrontendRank {
    Objects.requireNonNull(symbolicName, "symbolicName");
    Objects.requireNonNull(version, "version");
  }

  /** Returns the origin of a frontend outside of the container, as in tests and tools. */
  public static FrontendRank outside() {
    return outside("0.0.0", 0);
  }

  /**
   * Returns the origin of one of several versions of a frontend outside of the container. All of
   * them have one symbolic name, so that each may use the name of the frontend.
   *
   * @param version version in OSGi syntax, not null
   * @param bundle number that distinguishes the versions
   */
  public static FrontendRank outside(String version, long bundle) {
    return new FrontendRank(bundle, "outside", version, 0);
  }

  @Override
  public String toString() {
    return symbolicName + " " + version + " (bundle " + bundle + ")";
  }
}
