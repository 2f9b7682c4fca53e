package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Sources that a user names: a bundle (.jar), a feature (.kar, or .xml with its bundles'
 * addresses), a release (.tar.gz of a distribution, or its folder); a file, or Maven coordinates of
 * one.
 */
final class UpgradeSources {
  private final Path work;
  private final BundleRepositories repositories;
  private final Predicate<String> isInstalled;

  /**
   * Creates it.
   *
   * @param work a folder to unpack in
   * @param repositories where coordinates are looked up
   * @param isInstalled whether a bundle of a symbolic name is there, in any version
   */
  UpgradeSources(Path work, BundleRepositories repositories, Predicate<String> isInstalled) {
    this.work = work;
    this.repositories = repositories;
    this.isInstalled = isInstalled;
  }

  /**
   * Returns the bundles of a source in the order in which it has them: ours, and of a feature also
   * the libraries of others that are not there yet. Libraries that are there stay as they are.
   */
  List<JarContent> read(String source) throws UpgradeException, IOException {
    Path folder = Files.createDirectories(work).resolve("unpacked");
    ArchiveExtractor.delete(folder);
    Files.createDirectories(folder);
    try {
      Map<String, JarContent> found = new LinkedHashMap<>();
      Path file = local(source);
      for (Path jar : jars(file, folder)) {
        add(found, JarContent.of(jar), isFeature(file));
      }
      if (found.values().stream().noneMatch(JarContent::isOurs)) {
        throw new UpgradeException(source + " has no bundle of Holdfast or for it");
      }
      return List.copyOf(found.values());
    } finally {
      ArchiveExtractor.delete(folder);
    }
  }

  private void add(Map<String, JarContent> found, JarContent content, boolean withLibraries)
      throws IOException {
    boolean library = withLibraries && content.isBundle() && !content.isFragment();
    if (content.isOurs() || (library && !isInstalled.test(content.manifest().symbolicName()))) {
      found.put(content.manifest().symbolicName(), content);
    }
  }

  /** Returns whether a source is all that a node runs, not some of its bundles. */
  boolean isRelease(String source) throws UpgradeException {
    Path file = local(source);
    String name = file.getFileName().toString();
    return Files.isDirectory(file) || name.endsWith(".tar.gz") || name.endsWith(".tgz");
  }

  private Path local(String source) throws UpgradeException {
    if (source.startsWith("/")) {
      Path file = Path.of(source);
      if (!Files.isReadable(file)) {
        throw new UpgradeException("this node cannot read " + source);
      }
      return file;
    }
    return source.startsWith("mvn:") || source.contains(":/")
        ? repositories.byAddress(source)
        : repositories.byCoordinates(source);
  }

  private static boolean isFeature(Path file) {
    return file.toString().endsWith(".kar") || file.toString().endsWith(".xml");
  }

  private List<Path> jars(Path file, Path folder) throws UpgradeException, IOException {
    String name = file.getFileName().toString();
    if (Files.isDirectory(file)) {
      return release(file);
    }
    if (name.endsWith(".jar")) {
      return List.of(file);
    }
    if (name.endsWith(".kar")) {
      return ArchiveExtractor.jars(file, folder);
    }
    if (name.endsWith(".xml")) {
      return feature(file);
    }
    if (name.endsWith(".tar.gz") || name.endsWith(".tgz")) {
      ArchiveExtractor.untar(file, folder);
      return release(folder);
    }
    throw new UpgradeException(
        file + " is no .jar, .kar, .xml or .tar.gz, and no folder of a distribution");
  }

  private List<Path> feature(Path file) throws UpgradeException, IOException {
    BundleRepositories around = repositories.after(BundleRepositories.around(file));
    List<Path> jars = new ArrayList<>();
    for (String address : FeatureFile.bundles(file)) {
      jars.add(around.byAddress(address));
    }
    return jars;
  }

  /** The bundles that a node of the release runs, as its features say. */
  private static List<Path> release(Path folder) throws UpgradeException, IOException {
    Path system = first(folder, 2, "system");
    Path features = first(system, 6, "holdfast-features-.*-features\\.xml");
    BundleRepositories own = new BundleRepositories(List.of(system));
    List<Path> jars = new ArrayList<>();
    for (String address : FeatureFile.bundlesOf(features, "holdfast")) {
      jars.add(own.byAddress(address));
    }
    return jars;
  }

  private static Path first(Path folder, int depth, String name)
      throws UpgradeException, IOException {
    try (Stream<Path> found =
        Files.find(folder, depth, (path, kind) -> path.getFileName().toString().matches(name))) {
      return found
          .sorted()
          .findFirst()
          .orElseThrow(() -> new UpgradeException(folder + " is not a distribution of Holdfast"));
    }
  }
}
