package dev.holdfast.share.nfs.internal.ganesha;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Locale;

/**
 * Blocks of Ganesha's configuration language. Its strings have no escape sequence that its parser
 * undoes for every key, so a text that would need one is refused.
 */
final class ConfigText {
  private final StringBuilder text = new StringBuilder();
  private int depth;

  /** Opens a block. */
  ConfigText begin(String block) {
    indent().append(block).append(" {\n");
    depth++;
    return this;
  }

  /** Closes the innermost block. */
  ConfigText end() {
    depth--;
    indent().append("}\n");
    return this;
  }

  /** Writes a key whose value is a number, a word or a list of them. */
  ConfigText key(String key, Object value) {
    indent().append(key).append(" = ").append(value).append(";\n");
    return this;
  }

  /** Writes a key whose value is true or false. */
  ConfigText key(String key, boolean value) {
    return key(key, String.valueOf(value).toLowerCase(Locale.ROOT));
  }

  /**
   * Writes a key whose value is a quoted string.
   *
   * @throws StorageException INVALID when the string cannot be quoted
   */
  ConfigText string(String key, String value) throws StorageException {
    return key(key, quoted(key, value));
  }

  /**
   * Quotes a string.
   *
   * @param what it is, for the message
   * @throws StorageException INVALID when it holds a character that Ganesha's parser interprets
   */
  static String quoted(String what, String value) throws StorageException {
    boolean plain =
        value
            .chars()
            .allMatch(c -> c >= ' ' && c < 0x7f && c != '"' && c != '\'' && c != '\\' && c != '$');
    if (!plain || value.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          what
              + ": \""
              + value.replaceAll("\\p{Cntrl}", "?")
              + "\" cannot be written into Ganesha's configuration:"
              + " use letters, digits and . _ - / without quotes, backslashes and dollar signs");
    }
    return '"' + value + '"';
  }

  private StringBuilder indent() {
    return text.append("  ".repeat(depth));
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
