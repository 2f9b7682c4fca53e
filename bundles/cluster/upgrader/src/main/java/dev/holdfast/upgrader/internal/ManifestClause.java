package dev.holdfast.upgrader.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One clause of a manifest header: {@code name;name;attribute=value;directive:=value}.
 *
 * @param names at least one
 * @param parameters by their names; a directive's name ends with a colon
 */
record ManifestClause(List<String> names, Map<String, String> parameters) {

  /** Reads a header; one that is missing has no clauses. */
  static List<ManifestClause> parse(String header) {
    if (header == null || header.isBlank()) {
      return List.of();
    }
    return split(header, ',').stream().map(ManifestClause::clause).toList();
  }

  private static ManifestClause clause(String text) {
    List<String> names = new ArrayList<>();
    Map<String, String> parameters = new HashMap<>();
    for (String part : split(text, ';')) {
      int equals = part.indexOf('=');
      if (equals < 0) {
        names.add(part);
      } else {
        parameters.put(part.substring(0, equals).strip(), unquoted(part.substring(equals + 1)));
      }
    }
    if (names.isEmpty()) {
      throw new IllegalArgumentException("a clause has no name: " + text);
    }
    return new ManifestClause(List.copyOf(names), Map.copyOf(parameters));
  }

  private static String unquoted(String value) {
    String bare = value.strip();
    return bare.length() > 1 && bare.startsWith("\"") ? bare.substring(1, bare.length() - 1) : bare;
  }

  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    boolean quoted = false;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char here = text.charAt(i);
      if (here == '"') {
        quoted = !quoted;
      } else if (here == separator && !quoted) {
        parts.add(text.substring(start, i).strip());
        start = i + 1;
      }
    }
    parts.add(text.substring(start).strip());
    return parts;
  }
}
