package dev.holdfast.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  private static List<String> checkedFolders() throws IOException {
    try (var in = TreeTest.class.getResourceAsStream("checked.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank())
          .toList();
    }
  }

  @Test
  void checkedFoldersFollowTheLanguageRules() throws IOException {
    LanguageCheck check = new LanguageCheck(new SourceTree(ROOT), Exceptions.ofTheTree());
    List<Finding> found = new ArrayList<>();
    for (String folder : checkedFolders()) {
      found.addAll(check.check(folder));
    }
    assertThat(found)
        .withFailMessage(
            () -> "%d violations:%n%s".formatted(found.size(), String.join("\n", lines(found))))
        .isEmpty();
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
