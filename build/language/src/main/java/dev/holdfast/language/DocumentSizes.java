package dev.holdfast.language;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Documents that are too long or missing: READMEs of modules, and cells of tables. */
final class DocumentSizes {
  private DocumentSizes() {}

  /**
   * Returns the modules without a README, and the READMEs and cells that are too long. The root and
   * modules that only group others need no README.
   *
   * @param root of the tree
   * @param lines the most lines of a module's README
   * @param cell the most characters of a cell
   */
  static List<Finding> exceeded(Path root, int lines, int cell) throws IOException {
    List<Finding> found = new ArrayList<>();
    for (String file : new SourceTree(root).files("")) {
      if (file.contains("/archetype-resources/")) {
        continue;
      }
      String text = file.endsWith(".md") || file.endsWith("pom.xml") ? read(root, file) : "";
      if (file.endsWith("/pom.xml") && !text.contains("<modules>")) {
        addReadme(root, file.replaceFirst("pom.xml$", "README.md"), lines, found);
      } else if (file.endsWith(".md")) {
        addCells(file, text, cell, found);
      }
    }
    return found;
  }

  private static void addReadme(Path root, String readme, int most, List<Finding> found)
      throws IOException {
    if (!Files.exists(root.resolve(readme))) {
      found.add(new Finding(readme, 1, "missing", "every module has a README"));
      return;
    }
    int lines = (int) read(root, readme).lines().count();
    if (lines > most) {
      found.add(new Finding(readme, lines, lines + " lines", "at most " + most));
    }
  }

  private static void addCells(String file, String text, int most, List<Finding> found) {
    boolean code = false;
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      if (line.startsWith("```")) {
        code = !code;
      }
      if (code || !line.startsWith("|")) {
        continue;
      }
      for (String cell : line.split("(?<!\\\\)\\|", -1)) {
        int length = cell.strip().length();
        if (length > most) {
          String problem = "a cell has at most " + most;
          found.add(new Finding(file, number, length + " characters", problem));
        }
      }
    }
  }

  private static String read(Path root, String file) throws IOException {
    return Files.readString(root.resolve(file));
  }
}
