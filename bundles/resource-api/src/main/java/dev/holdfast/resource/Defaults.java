package dev.holdfast.resource;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What compact constructors put in the place of a field that JSON left out. */
final class Defaults {
  private Defaults() {}

  static String text(String value) {
    return value == null ? "" : value;
  }

  static <T> Optional<T> optional(Optional<T> value) {
    return value == null ? Optional.empty() : value;
  }

  static <T> T or(T value, T fallback) {
    return value == null ? fallback : value;
  }

  static <T> List<T> list(List<T> value) {
    return value == null ? List.of() : List.copyOf(value);
  }

  /** Keeps the order of insertion, so that what a person wrote comes back as it was. */
  static <V> Map<String, V> map(Map<String, V> value) {
    return value == null || value.isEmpty()
        ? Map.of()
        : Collections.unmodifiableMap(new LinkedHashMap<>(value));
  }

  static <T> List<T> plus(List<T> list, T element) {
    return Stream.concat(list.stream(), Stream.of(element)).toList();
  }
}
