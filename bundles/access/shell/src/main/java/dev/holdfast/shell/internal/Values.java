package dev.holdfast.shell.internal;

import dev.holdfast.resource.Quantity;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Parses values of arguments and options by type. */
final class Values {
  private Values() {}

  /**
   * Parses a value.
   *
   * @throws IllegalArgumentException with the reason for an invalid text
   */
  static Object parse(Class<?> type, String text) {
    if (type == Boolean.class) {
      return oneOf(List.of(true, false), text);
    } else if (type == Integer.class || type == Long.class) {
      return number(type, text);
    } else if (type == Quantity.class) {
      return Quantity.parse(text);
    } else if (type == Path.class) {
      return Path.of(text);
    } else if (type.isEnum()) {
      return oneOf(Arrays.asList(type.getEnumConstants()), text);
    }
    return type.cast(text);
  }

  /** Returns the words of a type with few values; empty for other types. */
  static List<String> words(Class<?> type) {
    Stream<?> values = type.isEnum() ? Stream.of(type.getEnumConstants()) : Stream.empty();
    return values.map(Object::toString).map(Values::lowerCase).toList();
  }

  private static Object number(Class<?> type, String text) {
    try {
      return type == Integer.class ? (Object) Integer.valueOf(text) : Long.valueOf(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("expected a whole number", e);
    }
  }

  private static Object oneOf(List<?> values, String text) {
    return values.stream()
        .filter(value -> value.toString().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "expected one of "
                        + String.join(
                            ", ", values.stream().map(v -> lowerCase(v.toString())).toList())));
  }

  private static String lowerCase(String word) {
    return word.toLowerCase(Locale.ROOT);
  }
}
