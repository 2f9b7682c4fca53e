package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.jar.Manifest;
import org.osgi.framework.Bundle;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.Version;
import org.osgi.framework.VersionRange;

/**
 * Identity and packages of a bundle from its manifest.
 *
 * @param symbolicName without its directives
 * @param version 0.0.0 without one
 * @param imports mandatory imported packages
 * @param exports exported packages
 */
record BundleManifest(
    String symbolicName, Version version, List<Import> imports, List<Export> exports) {
  private static final String OURS = "dev.holdfast.";

  /** A required package with its version range. */
  record Import(String name, VersionRange versions) {}

  /** An exported package. */
  record Export(String name, Version version) {}

  static BundleManifest of(Manifest manifest) throws IOException {
    return of(manifest.getMainAttributes()::getValue);
  }

  /** Reads the headers of an installed bundle. */
  static BundleManifest of(Bundle bundle) throws IOException {
    return of(FrameworkUtil.asMap(bundle.getHeaders(""))::get);
  }

  private static BundleManifest of(UnaryOperator<String> headers) throws IOException {
    String name = headers.apply("Bundle-SymbolicName");
    if (name == null) {
      throw new IOException("is not a bundle: its manifest has no Bundle-SymbolicName");
    }
    try {
      return new BundleManifest(
          ManifestClause.parse(name).get(0).names().get(0),
          Version.parseVersion(headers.apply("Bundle-Version")),
          imports(headers.apply("Import-Package")),
          exports(headers.apply("Export-Package")));
    } catch (IllegalArgumentException e) {
      throw new IOException("is not a bundle: " + e.getMessage(), e);
    }
  }

  private static List<Import> imports(String header) {
    return ManifestClause.parse(header).stream()
        .filter(clause -> !clause.parameters().getOrDefault("resolution:", "").equals("optional"))
        .flatMap(
            clause ->
                clause.names().stream()
                    .map(
                        name ->
                            new Import(
                                name,
                                new VersionRange(
                                    clause.parameters().getOrDefault("version", "0")))))
        .toList();
  }

  private static List<Export> exports(String header) {
    return ManifestClause.parse(header).stream()
        .flatMap(
            clause ->
                clause.names().stream()
                    .map(
                        name ->
                            new Export(
                                name, Version.parseVersion(clause.parameters().get("version")))))
        .toList();
  }

  /** Returns whether the bundle is a part of the platform or one of its plugins. */
  boolean isOurs() {
    return symbolicName.startsWith(OURS) || uses(imports);
  }

  private static boolean uses(Collection<Import> imports) {
    return imports.stream().anyMatch(needed -> needed.name().startsWith(OURS));
  }
}
