package dev.holdfast.resource;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Default values that compact constructors use for fields that are absent from JSON. */
public final class Defaults {
  private Defaults() {}

  /** Returns the text, or an empty text for null. */
  public static String text(String value) {
    return value == null ? "" : value;
  }

  /** Returns the value, or an empty one for null. */
  public static <T> Optional<T> optional(Optional<T> value) {
    return value == null ? Optional.empty() : value;
  }

  /** Returns the value, or the fallback for null. */
  public static <T> T or(T value, T fallback) {
    return value == null ? fallback : value;
  }

  /** Returns an immutable copy of the list, or an empty one for null. */
  public static <T> List<T> list(List<T> value) {
    return value == null ? List.of() : List.copyOf(value);
  }

  /** Returns an immutable copy in insertion order, or an empty map for null. */
  public static <V> Map<String, V> map(Map<String, V> value) {
    return value == null || value.isEmpty()
        ? Map.of()
        : Collections.unmodifiableMap(new LinkedHashMap<>(value));
  }

  /** Returns the list with one more element at its end. */
  public static <T> List<T> plus(List<T> list, T element) {
    return Stream.concat(list.stream(), Stream.of(element)).toList();
  }
}
