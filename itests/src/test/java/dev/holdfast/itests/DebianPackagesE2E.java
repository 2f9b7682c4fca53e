package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Debian packages, installed and upgraded under systemd in a copy of this machine's root file
 * system. The commands are in {@code debian-packages/story}.
 */
@Tag("soak")
class DebianPackagesE2E {
  private static final Path TREE = Path.of(System.getProperty("holdfast.tree")).normalize();
  private static final Path STORY = Path.of("src/test/resources/debian-packages/story");

  @TempDir private Path directory;

  @Test
  void packagesAreInstalledUpgradedUnderWritesAndRemoved() throws Exception {
    Path first = built("first", "1.0~1");
    Path second = built("second", "1.0~2");

    String output =
        Command.of(
                TREE.resolve("itests/lib/booted-debian").toString(),
                STORY.toString(),
                first.toString(),
                second.toString())
            .within(Duration.ofMinutes(15))
            .run()
            .succeeded()
            .out();

    assertThat(output).doesNotContain("WRONG").endsWith("== End\n");
  }

  @Test
  void samePackagesComeFromTheSameDistribution() throws Exception {
    Path first = built("first", "1.0").resolve("holdfast-client_1.0_all.deb");
    Path second = built("second", "1.0").resolve("holdfast-client_1.0_all.deb");

    assertThat(first).hasSameBinaryContentAs(second);
  }

  private Path built(String folder, String version) throws Exception {
    Path output = Files.createDirectories(directory.resolve(folder));
    Command.of(
            TREE.resolve("deploy/debian/build").toString(),
            "--compression",
            "gzip",
            "--version",
            version,
            output.toString())
        .within(Duration.ofMinutes(5))
        .run()
        .succeeded();
    return output;
  }
}
