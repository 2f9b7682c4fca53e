package dev.holdfast.description;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A documentation comment as plain text.
 *
 * @param text what stands before the first tag
 * @param parameters what is said of each parameter
 */
record DocComment(String text, Map<String, String> parameters) {
  private static final Pattern INLINE = Pattern.compile("\\{@\\w+\\s+([^}]*)}");
  private static final Pattern BLOCK = Pattern.compile("(?m)^\\s*@");
  private static final Pattern PARAMETER =
      Pattern.compile("param\\s+(\\S+)\\s+(.*)", Pattern.DOTALL);

  static DocComment parse(String comment) {
    String[] blocks = BLOCK.split(comment, -1);
    Map<String, String> parameters = new LinkedHashMap<>();
    for (int i = 1; i < blocks.length; i++) {
      Matcher matcher = PARAMETER.matcher(blocks[i].strip());
      if (matcher.matches()) {
        parameters.put(matcher.group(1), sentence(plain(matcher.group(2))));
      }
    }
    return new DocComment(plain(blocks[0]), parameters);
  }

  private static String plain(String text) {
    return INLINE
        .matcher(text)
        .replaceAll("$1")
        .replaceAll("<[^>]+>", " ")
        .replaceAll("\\s+", " ")
        .strip();
  }

  /** Parameters are described in half sentences; people read whole ones. */
  private static String sentence(String text) {
    if (text.isEmpty()) {
      return text;
    }
    String upper = Character.toUpperCase(text.charAt(0)) + text.substring(1);
    return upper.endsWith(".") ? upper : upper + ".";
  }
}
