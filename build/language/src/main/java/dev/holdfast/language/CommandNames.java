package dev.holdfast.language;

import com.github.javaparser.JavaParser;
import com.github.javaparser.ParserConfiguration;
import com.github.javaparser.ast.CompilationUnit;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.TypeDeclaration;
import com.github.javaparser.ast.expr.AnnotationExpr;
import com.github.javaparser.ast.nodeTypes.NodeWithAnnotations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands of the shell script {@code holdfast}, of its Java part, and of the Karaf shell. */
final class CommandNames {
  private static final Pattern CASE = Pattern.compile("(?m)^    ([a-z]+(?: \\| [-a-z]+)*)\\) ");
  private static final String SCRIPT = "holdfast";

  private final Map<String, Set<String>> commands = new HashMap<>();
  private final Set<String> shell = new HashSet<>();
  private final JavaParser parser =
      new JavaParser(
          new ParserConfiguration().setLanguageLevel(ParserConfiguration.LanguageLevel.JAVA_17));

  private CommandNames() {}

  /**
   * Reads the commands that a tree declares.
   *
   * @param root of the tree
   * @param files of the tree, relative to the root
   */
  static CommandNames of(Path root, List<String> files) {
    CommandNames names = new CommandNames();
    for (String file : files) {
      if (file.equals(SCRIPT)) {
        names.addScript(read(root.resolve(file)));
      } else if (file.endsWith(".java")) {
        String text = read(root.resolve(file));
        if (text.contains("@Command(")) {
          names.addJava(text);
        }
      }
    }
    return names;
  }

  /**
   * Returns whether a command exists.
   *
   * @param command the word after {@code holdfast}
   * @param verb the next word, null for none; not read where the command has no verbs
   */
  boolean exists(String command, String verb) {
    Set<String> verbs = commands.get(command);
    return verbs != null && (verb == null || verbs.isEmpty() || verbs.contains(verb));
  }

  /** Returns whether the Karaf shell has a command in the scope {@code holdfast}. */
  boolean existsInShell(String command) {
    return shell.contains(command);
  }

  private void addScript(String text) {
    for (Matcher line = CASE.matcher(text); line.find(); ) {
      for (String command : line.group(1).split(" \\| ", -1)) {
        commands.computeIfAbsent(command, key -> new HashSet<>());
      }
    }
  }

  private void addJava(String text) {
    CompilationUnit unit =
        parser.parse(text).getResult().orElseThrow(() -> new IllegalArgumentException(text));
    for (TypeDeclaration<?> type : unit.getTypes()) {
      Optional<AnnotationExpr> annotation = type.getAnnotationByName("Command");
      if (annotation.flatMap(a -> value(a, "scope")).isPresent()) {
        shell.add(value(annotation.get(), "name").orElseThrow());
      } else if (annotation.isPresent()) {
        Set<String> verbs =
            commands.computeIfAbsent(
                value(annotation.get(), "name").orElse(type.getNameAsString()),
                key -> new HashSet<>());
        type.getMethods().forEach(method -> verb(method).ifPresent(verbs::add));
      }
    }
  }

  private static Optional<String> verb(MethodDeclaration method) {
    NodeWithAnnotations<?> annotated = method;
    return annotated
        .getAnnotationByName("Command")
        .map(annotation -> value(annotation, "name").orElse(method.getNameAsString()));
  }

  private static Optional<String> value(AnnotationExpr annotation, String key) {
    return annotation.toNormalAnnotationExpr().stream()
        .flatMap(normal -> normal.getPairs().stream())
        .filter(pair -> pair.getNameAsString().equals(key))
        .filter(pair -> pair.getValue().isStringLiteralExpr())
        .map(pair -> pair.getValue().asStringLiteralExpr().asString())
        .findFirst();
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(path.toString(), e);
    }
  }
}
