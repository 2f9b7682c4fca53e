package dev.holdfast.language;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The words of the code of a tree, without those of comments in Java. */
final class CodeNames {
  /** Sources of plugins for earlier releases, with the names of that time. */
  private static final String OLD = "itests/old-plugins/";

  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?<![:\"])//[^\n]*");
  private static final Pattern WORD = Pattern.compile("[A-Z][A-Za-z0-9]+");

  private CodeNames() {}

  /**
   * Returns the words that begin with a capital.
   *
   * @param root of the tree
   * @param files of the tree, relative to the root
   */
  static Set<String> of(Path root, List<String> files) {
    Set<String> names = new HashSet<>();
    for (String file : files) {
      if (!file.endsWith(".md") && !file.startsWith(OLD)) {
        addWords(read(root.resolve(file)), file.endsWith(".java"), names);
      }
    }
    return names;
  }

  private static void addWords(String text, boolean java, Set<String> names) {
    String code = java ? COMMENT.matcher(text).replaceAll(" ") : text;
    for (Matcher word = WORD.matcher(code); word.find(); ) {
      names.add(word.group());
    }
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(path.toString(), e);
    }
  }
}
