package dev.holdfast.rules;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Reads source files with the parser of the JDK's compiler. */
final class SourceParser {
  private final Path root;
  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

  SourceParser(Path root) {
    this.root = root;
  }

  List<JavaFile> parse(String module, boolean main, List<Path> sources) {
    if (sources.isEmpty()) {
      return List.of();
    }
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  diagnostic -> {},
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      Trees trees = Trees.instance(task);
      List<JavaFile> parsed = new ArrayList<>();
      for (CompilationUnitTree unit : task.parse()) {
        parsed.add(read(unit, trees, module, main));
      }
      return parsed;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JavaFile read(CompilationUnitTree unit, Trees trees, String module, boolean main)
      throws IOException {
    Path path = Path.of(unit.getSourceFile().toUri());
    SourceVisitor visitor = new SourceVisitor(unit, trees.getSourcePositions());
    visitor.scan(unit, null);
    int lines;
    try (var text = Files.lines(path)) {
      lines = (int) text.count();
    }
    return visitor.file(root.relativize(path).toString(), module, main, lines);
  }
}
