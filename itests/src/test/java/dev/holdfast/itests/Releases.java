package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Distributions of releases, built from the commits that docs/releases.md names. */
final class Releases {
  private static final Path TREE = Path.of(System.getProperty("holdfast.tree")).normalize();
  private static final Path ASSEMBLY =
      Path.of(System.getProperty("holdfast.distribution")).normalize();
  private static final Duration BUILD = Duration.ofMinutes(30);
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([0-9.]+) \\| `[0-9a-f]+`");

  private Releases() {}

  /** Returns the last release. */
  static String previous() {
    List<String> all = all();
    return all.get(all.size() - 1);
  }

  private static List<String> all() {
    try {
      List<String> versions =
          ROW.matcher(Files.readString(TREE.resolve("docs/releases.md")))
              .results()
              .map((MatchResult row) -> row.group(1))
              .toList();
      assertThat(versions).as("rows of docs/releases.md").isNotEmpty();
      return versions;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the archive of a release; it is built when it was not before. */
  static Path archive(String version) {
    return Path.of(
        Command.of(TREE.resolve("build/releases/build-release").toString(), version)
            .within(BUILD)
            .run()
            .succeeded()
            .out());
  }

  /** Returns the distribution of a release, unpacked below a folder. */
  static Path unpacked(String version, Path folder) throws IOException {
    return unpack(archive(version), folder.resolve(version));
  }

  /** Unpacks an archive into a folder; returns the distribution. */
  static Path unpack(Path archive, Path folder) throws IOException {
    Path target = Files.createDirectories(folder);
    Command.of("tar", "-xzf", archive.toString(), "-C", target.toString()).run().succeeded();
    try (var found = Files.list(target)) {
      return found.findFirst().orElseThrow();
    }
  }

  /** Returns the archive of what is tested. */
  static Path current() {
    String jar = BundleJars.released("holdfast-node").getFileName().toString();
    String version = jar.substring("holdfast-node-".length(), jar.length() - ".jar".length());
    return ASSEMBLY.resolveSibling("holdfast-distribution-" + version + ".tar.gz");
  }
}
