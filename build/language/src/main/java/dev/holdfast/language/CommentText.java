package dev.holdfast.language;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the lines of a comment, without its delimiters, into paragraphs. */
final class CommentText {
  private static final Pattern BREAK =
      Pattern.compile(
          "^(?:$|<(?:p|ul|ol|li|/ul|/ol|h\\d|table|tr|td|th|dl|dt|dd)\\b.*|@[a-z].*|[-*] .*|\\d+\\. .*)");
  private static final Pattern BLOCK_TAG = Pattern.compile("^@(?:param|throws|exception) +\\S+ *");
  private static final Pattern OTHER_TAG = Pattern.compile("^@[a-z]+ *");

  private final Passage passage;
  private boolean preformatted;

  CommentText(Passage passage) {
    this.passage = passage;
  }

  /** Adds a line; drawings and {@code <pre>} blocks are left out. */
  void add(String raw, int line) {
    String text = raw.strip();
    boolean skipped = preformatted;
    preformatted = (preformatted || text.contains("<pre>")) && !text.contains("</pre>");
    if (skipped || preformatted || isDrawing(text)) {
      passage.end();
      return;
    }
    if (BREAK.matcher(text).matches()) {
      passage.end();
    }
    text = without(OTHER_TAG, without(BLOCK_TAG, text));
    if (!text.isEmpty()) {
      passage.add(text, line);
    }
  }

  /** Ends the paragraph. */
  void end() {
    passage.end();
  }

  private static boolean isDrawing(String text) {
    return text.matches(".*([─│┌┐└┘├┤►▼]|-->|--+\\+|\\| {2,}).*");
  }

  private static String without(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? text.substring(matcher.end()) : text;
  }
}
