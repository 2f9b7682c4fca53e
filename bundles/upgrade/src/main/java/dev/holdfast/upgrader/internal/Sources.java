package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * What a person names: a bundle (.jar), a feature (.kar, or .xml with its bundles' addresses), a
 * release (.tar.gz of a distribution); a file, or Maven coordinates.
 */
final class Sources {
  private static final int UNPACK_SECONDS = 120;

  private final Path work;

  Sources(Path work) {
    this.work = work;
  }

  /** Returns the bundles of ours that a source has, in the order in which it has them. */
  List<JarContent> read(String source) throws UpgradeException, IOException {
    Path folder = Files.createDirectories(work).resolve("unpacked");
    delete(folder);
    Files.createDirectories(folder);
    try {
      Map<String, JarContent> found = new LinkedHashMap<>();
      for (Path jar : jars(local(source, folder), folder)) {
        JarContent content = JarContent.of(jar);
        if (content.manifest().isOurs()) {
          found.put(content.manifest().symbolicName(), content);
        }
      }
      if (found.isEmpty()) {
        throw new UpgradeException(source + " has no bundle of Holdfast or for it");
      }
      return List.copyOf(found.values());
    } finally {
      delete(folder);
    }
  }

  private static Path local(String source, Path folder) throws UpgradeException, IOException {
    if (source.startsWith("/")) {
      Path file = Path.of(source);
      if (!Files.isReadable(file)) {
        throw new UpgradeException("this node cannot read " + source);
      }
      return file;
    }
    String address = source.contains(":/") || source.startsWith("mvn:") ? source : maven(source);
    String ending =
        address.matches(".*/(xml|kar)(/[^/]*)?$")
            ? address.replaceAll(".*/(xml|kar)(/[^/]*)?$", ".$1")
            : ".jar";
    Path copy = folder.resolve("source" + ending);
    try (InputStream in = new URL(address).openStream()) {
      Files.copy(in, copy);
    }
    return copy;
  }

  private static String maven(String coordinates) throws UpgradeException {
    String[] parts = coordinates.split(":", -1);
    if (parts.length < 3) {
      throw new UpgradeException(
          coordinates + " is neither a file nor coordinates (group:artifact:version)");
    }
    return "mvn:" + String.join("/", parts);
  }

  private List<Path> jars(Path file, Path folder) throws UpgradeException, IOException {
    String name = file.getFileName().toString();
    if (name.endsWith(".jar")) {
      return List.of(file);
    }
    if (name.endsWith(".kar")) {
      return unzip(file, folder);
    }
    if (name.endsWith(".xml")) {
      return download(FeatureFile.bundles(file), folder);
    }
    if (name.endsWith(".tar.gz") || name.endsWith(".tgz")) {
      untar(file, folder);
      return release(folder);
    }
    throw new UpgradeException(file + " is no .jar, .kar, .xml or .tar.gz");
  }

  private static List<Path> unzip(Path kar, Path folder) throws IOException {
    List<Path> jars = new ArrayList<>();
    try (ZipFile zip = new ZipFile(kar.toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (entry.getName().endsWith(".jar")) {
          Path jar = folder.resolve("kar-" + jars.size() + ".jar");
          try (InputStream in = zip.getInputStream(entry)) {
            Files.copy(in, jar);
          }
          jars.add(jar);
        }
      }
    }
    return jars;
  }

  private static List<Path> download(List<String> addresses, Path folder) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (String address : addresses) {
      Path jar = folder.resolve("feature-" + jars.size() + ".jar");
      try (InputStream in = new URL(address).openStream()) {
        Files.copy(in, jar, StandardCopyOption.REPLACE_EXISTING);
      }
      jars.add(jar);
    }
    return jars;
  }

  private static void untar(Path archive, Path folder) throws UpgradeException, IOException {
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!tar.waitFor(UNPACK_SECONDS, TimeUnit.SECONDS) || tar.exitValue() != 0) {
        tar.destroyForcibly();
        throw new UpgradeException(archive + " cannot be unpacked by tar");
      }
    } catch (InterruptedException e) {
      tar.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new UpgradeException("interrupted while " + archive + " is unpacked", e);
    }
  }

  /** The bundles that a node of the release runs, as its features say. */
  private static List<Path> release(Path folder) throws UpgradeException, IOException {
    Path system;
    Path features;
    try (Stream<Path> found = Files.find(folder, 2, (path, kind) -> path.endsWith("system"))) {
      system =
          found
              .findFirst()
              .orElseThrow(() -> new UpgradeException("it is no distribution of ours"));
    }
    try (Stream<Path> found =
        Files.find(
            system,
            6,
            (path, kind) -> path.toString().matches(".*/holdfast-features-.*-features\\.xml"))) {
      features =
          found
              .findFirst()
              .orElseThrow(() -> new UpgradeException("it is no distribution of ours"));
    }
    return FeatureFile.bundlesOf(features, "holdfast").stream()
        .map(address -> system.resolve(FeatureFile.repositoryPath(address)))
        .filter(Files::exists)
        .toList();
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> files = Files.walk(folder)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }
}
