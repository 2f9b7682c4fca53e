package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Sources of an upgrade: a bundle (.jar), a feature (.kar, or .xml with its bundles' addresses), a
 * release (.tar.gz of a distribution, or its folder); a file, or Maven coordinates of one.
 */
final class UpgradeSources {
  private final Path work;
  private final BundleRepositories repositories;
  private final Predicate<String> isInstalled;

  /**
   * Creates the reader.
   *
   * @param work a folder for unpacked files
   * @param repositories repositories for coordinates
   * @param isInstalled whether a bundle of a symbolic name is installed in any version
   */
  UpgradeSources(Path work, BundleRepositories repositories, Predicate<String> isInstalled) {
    this.work = work;
    this.repositories = repositories;
    this.isInstalled = isInstalled;
  }

  /**
   * Returns the bundles of a source in their order: our bundles, and for a feature also missing
   * third-party libraries. Installed libraries stay unchanged.
   */
  List<SourceBundle> read(String source) throws UpgradeException, IOException {
    Path folder = Files.createDirectories(work).resolve("unpacked");
    ArchiveExtractor.delete(folder);
    Files.createDirectories(folder);
    try {
      Map<String, SourceBundle> found = new LinkedHashMap<>();
      Path file = local(source);
      for (Found jar : jars(file, folder)) {
        add(found, new SourceBundle(JarContent.of(jar.jar()), jar.level()), isFeature(file));
      }
      if (found.values().stream().noneMatch(bundle -> bundle.content().isOurs())) {
        throw new UpgradeException(source + " has no bundle of Holdfast or for it");
      }
      return List.copyOf(found.values());
    } finally {
      ArchiveExtractor.delete(folder);
    }
  }

  private void add(Map<String, SourceBundle> found, SourceBundle bundle, boolean withLibraries)
      throws IOException {
    JarContent content = bundle.content();
    boolean library = withLibraries && content.isBundle() && !content.isFragment();
    if (content.isOurs() || (library && !isInstalled.test(content.manifest().symbolicName()))) {
      found.put(content.manifest().symbolicName(), bundle);
    }
  }

  /** Returns whether a source contains all bundles of a node, not only some. */
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

  /** A jar of a source, with the start level from its feature. */
  private record Found(Path jar, OptionalInt level) {}

  private List<Found> jars(Path file, Path folder) throws UpgradeException, IOException {
    String name = file.getFileName().toString();
    if (Files.isDirectory(file)) {
      return release(file);
    }
    if (name.endsWith(".jar")) {
      return List.of(new Found(file, OptionalInt.empty()));
    }
    if (name.endsWith(".kar")) {
      return archived(file, folder);
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

  /** Returns the bundles of an archive, which has Maven's layout and the files of its features. */
  private static List<Found> archived(Path archive, Path folder)
      throws UpgradeException, IOException {
    Map<String, OptionalInt> levels = new HashMap<>();
    for (ArchiveExtractor.Unpacked xml : ArchiveExtractor.files(archive, ".xml", folder)) {
      if (FeatureFile.isOne(xml.file())) {
        for (FeatureFile.Entry entry : FeatureFile.bundles(xml.file())) {
          Optional<String> path = BundleRepositories.pathOf(entry.address());
          path.ifPresent(place -> levels.put("/" + place, entry.level()));
        }
      }
    }
    List<Found> jars = new ArrayList<>();
    for (ArchiveExtractor.Unpacked jar : ArchiveExtractor.files(archive, ".jar", folder)) {
      OptionalInt level =
          levels.entrySet().stream()
              .filter(entry -> ("/" + jar.name()).endsWith(entry.getKey()))
              .map(Map.Entry::getValue)
              .findFirst()
              .orElse(OptionalInt.empty());
      jars.add(new Found(jar.file(), level));
    }
    return jars;
  }

  private List<Found> feature(Path file) throws UpgradeException, IOException {
    BundleRepositories around = repositories.after(BundleRepositories.around(file));
    return found(around, FeatureFile.bundles(file));
  }

  /** Returns the bundles that a node of the release runs, from its features. */
  private static List<Found> release(Path folder) throws UpgradeException, IOException {
    Path system = first(folder, 2, "system");
    Path features = first(system, 6, "holdfast-features-.*-features\\.xml");
    BundleRepositories own = new BundleRepositories(List.of(system));
    return found(own, FeatureFile.bundlesOf(features, "holdfast"));
  }

  private static List<Found> found(BundleRepositories folders, List<FeatureFile.Entry> entries)
      throws UpgradeException {
    List<Found> jars = new ArrayList<>();
    for (FeatureFile.Entry entry : entries) {
      jars.add(new Found(folders.byAddress(entry.address()), entry.level()));
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
