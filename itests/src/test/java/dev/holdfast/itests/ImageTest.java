package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The image of a node contains the programs that the node's code needs. */
class ImageTest {
  private static final Path TREE = Path.of(System.getProperty("holdfast.tree")).normalize();

  /** A program that is required, or a constant with the package that has one. */
  private static final Pattern PACKAGE =
      Pattern.compile(
          "(?:HostProgram|host)\\s*\\.require\\(\\s*[^,()]+,\\s*\"([^\"]+)\"\\)"
              + "|String PACKAGE = \"([^\"]+)\"");

  /** Its daemon must run on the machine, not in a container that can be replaced. */
  private static final Set<String> OF_THE_MACHINE = Set.of("open-iscsi");

  @Test
  void itHasThePackagesThatTheCodeNames() throws IOException {
    Set<String> named = new TreeSet<>();
    try (Stream<Path> files = Files.walk(TREE.resolve("bundles"))) {
      files
          .filter(file -> file.toString().contains("/src/main/java/"))
          .filter(file -> file.toString().endsWith(".java"))
          .forEach(file -> named.addAll(packages(file)));
    }
    named.removeAll(OF_THE_MACHINE);

    assertThat(named).contains("qemu-utils", "libnbd-bin", "e2fsprogs");
    assertThat(built()).containsAll(named);
  }

  @Test
  void bothRecipesHaveTheSamePackages() throws IOException {
    String recipe = Files.readString(TREE.resolve("deploy/image/Containerfile"));
    String list =
        recipe.replaceFirst("(?s).*--no-install-recommends", "").replaceFirst("(?s)&&.*", "");

    assertThat(List.of(list.replace("\\", " ").strip().split("\\s+")))
        .containsExactlyInAnyOrderElementsOf(built());
  }

  private static List<String> built() {
    String packages =
        Command.of(TREE.resolve("deploy/image/build").toString(), "--packages")
            .run()
            .succeeded()
            .out();
    return Arrays.asList(packages.split("\\s+"));
  }

  private static List<String> packages(Path file) {
    try {
      return PACKAGE
          .matcher(Files.readString(file))
          .results()
          .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
