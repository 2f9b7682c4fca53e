package ${package};

import java.nio.charset.StandardCharsets;

/**
 * The words of a request: verb, tag, offset, length, {@code FUA}. What is missing or no number is
 * an offset or a length that every device refuses.
 */
final class Words {
  private final String[] words;

  Words(byte[] line) {
    words = new String(line, StandardCharsets.UTF_8).split(" ", -1);
  }

  String verb() {
    return words[0];
  }

  String tag() {
    return words.length > 1 ? words[1] : "";
  }

  long offset() {
    return number(2);
  }

  long length() {
    return number(3);
  }

  boolean durable() {
    return words.length > 4 && words[4].equals("FUA");
  }

  private long number(int index) {
    try {
      return words.length > index ? Long.parseLong(words[index]) : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
