package dev.holdfast.commands;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The result of a command in both forms.
 *
 * @param text text for users, without a line break at its end
 * @param json for programs
 */
public record Output(Supplier<String> text, Supplier<JsonNode> json) {

  /** Forms of an output. */
  public enum Format {
    /** Text for users. */
    TEXT,
    /** JSON for programs. */
    JSON;

    /** Returns the name on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns the output in a form. */
  public String as(Format format) {
    return switch (format) {
      case TEXT -> text.get();
      case JSON -> json.get().toPrettyString();
    };
  }
}
