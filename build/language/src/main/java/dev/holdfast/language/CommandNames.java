package dev.holdfast.language;

import com.github.javaparser.JavaParser;
import com.github.javaparser.ParserConfiguration;
import com.github.javaparser.ast.CompilationUnit;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.ast.expr.ObjectCreationExpr;
import com.github.javaparser.ast.nodeTypes.NodeWithArguments;
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

/**
 * The commands of the shell script {@code holdfast}, of its Java part, and of the Karaf shell. The
 * last two are made from the table of verbs: expressions {@code new Verb("volume list", …)},
 * without those that the shell's list of exceptions names.
 */
final class CommandNames {
  private static final Pattern CASE = Pattern.compile("(?m)^    ([a-z]+(?: \\| [-a-z]+)*)\\) ");
  private static final String SCRIPT = "holdfast";
  private static final String VERB = "new Verb(";
  private static final String OMISSION = "Omission.of(";

  private final Map<String, Set<String>> commands = new HashMap<>();
  private final Set<String> withArgument = new HashSet<>();
  private final Set<String> shell = new HashSet<>();
  private final Set<String> omitted = new HashSet<>();
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
        if (text.contains(VERB) || (file.contains("shell/") && text.contains(OMISSION))) {
          names.addJava(text, file.contains("shell/"));
        }
      }
    }
    names.shell.removeAll(names.omitted);
    return names;
  }

  /**
   * Returns whether a command exists.
   *
   * @param command the word after {@code holdfast}
   * @param verb the next word, null for none; not read where the command has no verbs, or where it
   *     is a verb itself, whose next word is an argument
   */
  boolean exists(String command, String verb) {
    Set<String> verbs = commands.get(command);
    return verbs != null
        && (verb == null
            || verbs.isEmpty()
            || verbs.contains(verb)
            || withArgument.contains(command));
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

  private void addJava(String text, boolean ofShell) {
    CompilationUnit unit =
        parser.parse(text).getResult().orElseThrow(() -> new IllegalArgumentException(text));
    for (ObjectCreationExpr creation : unit.findAll(ObjectCreationExpr.class)) {
      if (creation.getTypeAsString().equals("Verb")) {
        first(creation).ifPresent(this::addVerb);
      }
    }
    for (MethodCallExpr call : unit.findAll(MethodCallExpr.class)) {
      if (ofShell && call.toString().startsWith(OMISSION)) {
        first(call).map(CommandNames::inShell).ifPresent(omitted::add);
      }
    }
  }

  private void addVerb(String name) {
    String[] words = name.split(" ", 2);
    Set<String> verbs = commands.computeIfAbsent(words[0], key -> new HashSet<>());
    if (words.length > 1) {
      verbs.add(words[1]);
    } else {
      withArgument.add(name);
    }
    shell.add(inShell(name));
  }

  private static String inShell(String verb) {
    return verb.replace(' ', '-');
  }

  private static Optional<String> first(NodeWithArguments<?> call) {
    return call.getArguments().stream()
        .findFirst()
        .filter(Expression::isStringLiteralExpr)
        .map(argument -> argument.asStringLiteralExpr().asString());
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(path.toString(), e);
    }
  }
}
