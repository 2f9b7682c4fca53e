package dev.holdfast.rules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes a small tree of modules and sources, and checks it. */
final class PlantedTree {
  private final Path root;

  PlantedTree(Path root) {
    this.root = root;
  }

  /** Adds a module whose artifact has the name of its folder, with dashes. */
  PlantedTree module(String folder, String... usedFolders) {
    StringBuilder dependencies = new StringBuilder();
    for (String used : usedFolders) {
      dependencies.append(dependency(used, "compile"));
    }
    return pom(folder, "<dependencies>" + dependencies + "</dependencies>");
  }

  PlantedTree pom(String folder, String content) {
    return write(
        folder.isEmpty() ? "pom.xml" : folder + "/pom.xml",
        "<project><artifactId>%s</artifactId>%s</project>".formatted(artifact(folder), content));
  }

  static String dependency(String folder, String scope) {
    return """
    <dependency><groupId>dev.holdfast</groupId><artifactId>%s</artifactId><scope>%s</scope>
    </dependency>
    """
        .formatted(artifact(folder), scope);
  }

  /** Adds a main source to a module; its path follows from the declared package and type. */
  PlantedTree source(String module, String type, String text) {
    int dot = type.lastIndexOf('.');
    return write(
        module + "/src/main/java/" + type.replace('.', '/') + ".java",
        "package %s;\n%s\n".formatted(type.substring(0, dot), text));
  }

  PlantedTree exported(String module, String packageName) {
    return write(
        module + "/src/main/java/" + packageName.replace('.', '/') + "/package-info.java",
        "@org.osgi.annotation.bundle.Export\npackage %s;\n".formatted(packageName));
  }

  PlantedTree write(String path, String text) {
    try {
      Path file = root.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  ModuleTree read() {
    return ModuleTree.read(root);
  }

  List<String> violations(LayoutRule rule) {
    return rule.check(read()).stream().map(Violation::toString).toList();
  }

  private static String artifact(String folder) {
    return folder.replace('/', '-');
  }
}
