package dev.holdfast.language;

import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text without markup, with the line of each character in its file. Paragraphs end with \n. */
final class Passage {
  /** Places where text stands; they differ in the rules that apply. */
  enum Kind {
    /** Prose of a document or an ordinary comment. */
    PROSE,
    /** Documentation comment of Java. */
    JAVADOC,
    /** Literal of a program, a command or output: words are checked, sentences are not. */
    LITERAL
  }

  /** Stands for a character of code; the rules on words skip it. */
  static final char CODE = '\u2423';

  private final Kind kind;
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder source = new StringBuilder();
  private final TreeMap<Integer, Integer> lines = new TreeMap<>();

  Passage(Kind kind) {
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }

  String text() {
    return text.toString();
  }

  /** Returns a part of the text with its code and markup. */
  String source(int start, int end) {
    return source.substring(start, end);
  }

  /** Appends the text of one line, after a space. */
  Passage add(String part, int line) {
    if (!text.isEmpty() && text.charAt(text.length() - 1) != '\n') {
      text.append(' ');
      source.append(' ');
    }
    return join(part, line);
  }

  /** Appends text without a space, as the parts of a concatenated literal follow each other. */
  Passage join(String part, int line) {
    lines.put(text.length(), line);
    text.append(part);
    source.append(part);
    return this;
  }

  /** Ends a paragraph. */
  void end() {
    if (!text.isEmpty() && text.charAt(text.length() - 1) != '\n') {
      text.append('\n');
      source.append('\n');
    }
  }

  /** Replaces each match by as many code characters, which count as one word. */
  void maskCode(Pattern pattern) {
    Matcher match = pattern.matcher(text.toString());
    while (match.find()) {
      fill(match.start(), match.end(), CODE);
    }
  }

  /** Replaces each match by blanks, its first group excepted. */
  void maskMarkup(Pattern pattern) {
    Matcher match = pattern.matcher(text.toString());
    while (match.find()) {
      boolean labelled = match.groupCount() > 0 && match.group(1) != null;
      fill(match.start(), labelled ? match.start(1) : match.end(), ' ');
      if (labelled) {
        fill(match.end(1), match.end(), ' ');
      }
    }
  }

  private void fill(int start, int end, char filler) {
    for (int i = start; i < end; i++) {
      text.setCharAt(i, filler);
    }
  }

  /** Returns the line of the character at this offset. */
  int line(int offset) {
    var entry = lines.floorEntry(offset);
    return entry == null ? 1 : entry.getValue();
  }
}
