package dev.holdfast.language;

/**
 * A violation of the language rules.
 *
 * @param file path below the root of the tree, with {@code /}
 * @param line line number, from 1
 * @param word the rejected text as it stands there
 * @param suggestion the term or form to use instead
 */
record Finding(String file, int line, String word, String suggestion) {
  @Override
  public String toString() {
    return "%s:%d: \"%s\": %s".formatted(file, line, word, suggestion);
  }
}
