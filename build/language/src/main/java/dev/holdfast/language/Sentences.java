package dev.holdfast.language;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The limit on the length of a sentence. */
final class Sentences {
  static final int MOST_WORDS = 40;

  private static final int SHOWN = 40;

  private static final Pattern END =
      Pattern.compile("\n|[.!?][\"')\\]*]*(?= +[\"'(*]*[\\p{Lu}\\d\u2423])|;(?= [A-Z_]{2,} )");
  private static final Pattern WORD = Pattern.compile("\\S*[\\p{Alnum}\\u2423]\\S*");

  private Sentences() {}

  /** Returns the sentences of a passage that have too many words. */
  static List<Finding> check(String file, Passage passage) {
    List<Finding> found = new ArrayList<>();
    if (passage.kind() == Passage.Kind.LITERAL) {
      return found;
    }
    String text = passage.text();
    Matcher end = END.matcher(text);
    int start = 0;
    while (start < text.length()) {
      int stop = end.find(start) ? end.end() : text.length();
      checkOne(file, passage, start, text.substring(start, stop), found);
      start = stop;
    }
    return found;
  }

  private static void checkOne(
      String file, Passage passage, int start, String sentence, List<Finding> found) {
    Matcher word = WORD.matcher(sentence);
    int count = 0;
    while (word.find()) {
      count++;
    }
    if (count > MOST_WORDS) {
      int begin = start + sentence.length() - sentence.stripLeading().length();
      String first = passage.source(begin, begin + SHOWN).strip() + " …";
      found.add(
          new Finding(
              file,
              passage.line(begin),
              first,
              "sentence of %d words: write sentences of at most 25".formatted(count)));
    }
  }
}
