package dev.holdfast.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @Test
  void treeFollowsTheLanguageRules() {
    Exceptions exceptions = Exceptions.ofTheTree();
    List<Finding> found = new LanguageCheck(new SourceTree(ROOT), exceptions).check("");
    assertThat(found)
        .withFailMessage(
            () -> "%d violations:%n%s".formatted(found.size(), String.join("\n", lines(found))))
        .isEmpty();
    assertThat(exceptions.unused()).as("exceptions that permit nothing").isEmpty();
  }

  @Test
  void exceptionsAreFew() {
    assertThat(Exceptions.ofTheTree().size()).isLessThanOrEqualTo(Exceptions.MOST);
  }

  @Test
  void plantedViolationsOfEachTypeOfFileAreFound(@TempDir Path root) throws IOException {
    Files.createDirectories(root.resolve("a/target"));
    Files.writeString(root.resolve("a/A.java"), "/** It goes on. */\nclass A {}\n");
    Files.writeString(root.resolve("a/README.md"), "# A\n\nfor good\n");
    Files.writeString(root.resolve("a/run"), "#!/bin/bash\n# whoever\n");
    Files.writeString(root.resolve("a/values.yaml"), "a: 1 # x\n# nobody\n");
    Files.writeString(root.resolve("a/data"), "nobody\n");
    Files.writeString(root.resolve("a/target/B.java"), "/** It goes on. */\nclass B {}\n");
    LanguageCheck check = new LanguageCheck(new SourceTree(root), Exceptions.parse(""));
    assertThat(lines(check.check("")))
        .extracting(line -> line.replaceFirst(": use.*", ""))
        .containsExactly(
            "a/A.java:1: \"goes on\"",
            "a/README.md:3: \"for good\"",
            "a/run:2: \"whoever\"",
            "a/values.yaml:2: \"nobody\"");
  }

  private static List<String> lines(List<Finding> found) {
    return found.stream().map(Finding::toString).toList();
  }
}
