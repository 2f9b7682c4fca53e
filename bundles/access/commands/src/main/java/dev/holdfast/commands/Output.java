package dev.holdfast.commands;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The result of a command in both of its forms.
 *
 * @param text text for users, without a line break at its end
 * @param json for programs
 */
public record Output(Supplier<String> text, Supplier<JsonNode> json) {

  /** The forms. */
  public enum Format {
    /** For users. */
    TEXT,
    /** For programs. */
    JSON;

    /** Returns the name on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns one of the forms. */
  public String as(Format format) {
    return switch (format) {
      case TEXT -> text.get();
      case JSON -> json.get().toPrettyString();
    };
  }
}
