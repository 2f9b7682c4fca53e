package dev.holdfast.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentsTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final int README_LINES = 40;
  private static final int CELL = 200;

  @TempDir Path planted;

  private static String text(List<Finding> found) {
    return found.stream().map(Finding::toString).collect(Collectors.joining("\n"));
  }

  private void plant(String file, String text) throws IOException {
    Path path = planted.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @Test
  void namesLinksAndCommandsOfDocumentsAreInTheTree() {
    assertThat(text(DocumentReferences.missing(ROOT))).isEmpty();
  }

  @Test
  void cellsAndReadmesAreShort() throws IOException {
    assertThat(text(DocumentSizes.exceeded(ROOT, README_LINES, CELL))).isEmpty();
  }

  @Test
  void plantedReferencesAreFound() throws IOException {
    plant("holdfast", "#!/bin/bash\n    up) shift ;;\n    help | -h) usage ;;\n");
    plant(
        "commands/VolumeVerbs.java",
        """
        /** See RemovedClass. */
        class VolumeVerbs {
          Verb list = new Verb("volume list", List.of(), List.of(), "List.", call -> null);
          Verb join = new Verb("volume join", List.of(), List.of(), "Join.", call -> null);
        }
        """);
    plant(
        "shell/ShellCommands.java",
        "class ShellCommands { Omission join = Omission.of(\"volume join\", \"a reason\"); }\n");
    plant(
        "docs/A.md",
        """
        # A page: first
        `VolumeVerbs` and `ThreadLocal`, but `RemovedClass` and `dev.holdfast.Gone`.
        [this](#a-page-first), [file](../commands/VolumeVerbs.java), [web](https://example.org/x)
        [gone](B.md), [heading](#second)
        `holdfast volume list`, `holdfast up --nodes 3`, `holdfast volume shrink x`
        `holdfast:volume-list`, `holdfast:volume-gone`, `holdfast volume join`
        `holdfast:volume-join`

        ```
        $ ./holdfast down
        helm install holdfast deploy/chart
        ```
        """);
    assertThat(text(DocumentReferences.missing(planted)))
        .isEqualTo(
            """
            docs/A.md:2: "RemovedClass": no such name in the code
            docs/A.md:2: "dev.holdfast.Gone": no such type
            docs/A.md:4: "B.md": no such file or heading
            docs/A.md:4: "#second": no such file or heading
            docs/A.md:5: "holdfast volume shrink": no such command
            docs/A.md:6: "holdfast:volume-gone": no such command in the Karaf shell
            docs/A.md:7: "holdfast:volume-join": no such command in the Karaf shell
            docs/A.md:10: "holdfast down": no such command""");
  }

  @Test
  void plantedSizesAreFound() throws IOException {
    plant("a/pom.xml", "<project/>");
    plant("a/README.md", "line\n".repeat(41));
    plant("b/pom.xml", "<project/>");
    plant("group/pom.xml", "<project><modules><module>x</module></modules></project>");
    plant("docs/A.md", "| short | " + "x".repeat(201) + " |\n");
    assertThat(text(DocumentSizes.exceeded(planted, README_LINES, CELL)))
        .isEqualTo(
            """
            a/README.md:41: "41 lines": at most 40
            b/README.md:1: "missing": every module has a README
            docs/A.md:1: "201 characters": a cell has at most 200""");
  }
}
