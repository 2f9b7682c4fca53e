package dev.holdfast.language;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rejected wording.
 *
 * @param pattern matches the wording; a space stands for any white space within a paragraph
 * @param suggestion the term or form to use instead
 * @param kinds the passages to which the rule applies
 */
record Rule(Pattern pattern, String suggestion, Set<Passage.Kind> kinds) {
  static Rule word(String regex, String suggestion) {
    return new Rule(
        Pattern.compile("\\b(?:" + regex.replace(" ", " +") + ")\\b", Pattern.CASE_INSENSITIVE),
        suggestion,
        EnumSet.allOf(Passage.Kind.class));
  }

  static Rule exact(String word, String suggestion) {
    return new Rule(
        Pattern.compile("\\b" + word + "\\b"), suggestion, EnumSet.allOf(Passage.Kind.class));
  }

  /** A rule on the beginning of documentation comments. */
  static Rule firstOfJavadoc(String regex, String suggestion) {
    return new Rule(
        Pattern.compile("\\A(?:" + regex + ")\\b"), suggestion, EnumSet.of(Passage.Kind.JAVADOC));
  }

  /** Returns the violations in a passage of a file. */
  List<Finding> check(String file, Passage passage) {
    List<Finding> found = new ArrayList<>();
    if (kinds.contains(passage.kind())) {
      Matcher matcher = pattern.matcher(passage.text());
      while (matcher.find()) {
        found.add(
            new Finding(file, passage.line(matcher.start()), matcher.group(), "use " + suggestion));
      }
    }
    return found;
  }
}
