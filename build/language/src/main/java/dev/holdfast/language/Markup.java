package dev.holdfast.language;

import java.util.regex.Pattern;

/** Masks code, links and tags, so that the rules see the words of a reader. */
final class Markup {
  private static final Pattern CODE_TAG = Pattern.compile("\\{@code [^{}]*(?:\\{[^{}]*}[^{}]*)*}");
  private static final Pattern BARE_LINK =
      Pattern.compile("\\{@(?:link|linkplain|value|literal) +[^\\s}(]+(?:\\([^)]*\\))? *}");
  private static final Pattern LABELLED_LINK =
      Pattern.compile("\\{@(?:link|linkplain|literal) +[^\\s}(]+(?:\\([^)]*\\))? +([^}]*)}");
  private static final Pattern TAG = Pattern.compile("</?[a-zA-Z][^<>\n]*>");
  private static final Pattern BACKTICKS = Pattern.compile("(`+)[^`\n]+\\1");
  private static final Pattern TARGET = Pattern.compile("!?\\[([^\\]\n]*)]\\([^)\n]*\\)");

  private Markup() {}

  static void maskJavadoc(Passage passage) {
    passage.maskCode(CODE_TAG);
    passage.maskCode(BARE_LINK);
    passage.maskMarkup(LABELLED_LINK);
    passage.maskMarkup(TAG);
  }

  static void maskMarkdown(Passage passage) {
    passage.maskCode(BACKTICKS);
    passage.maskMarkup(TARGET);
    passage.maskMarkup(TAG);
  }
}
