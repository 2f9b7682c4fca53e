package dev.holdfast.rules;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Violations that are permitted. A line is {@code RULE FROM TO SIZE # REASON}. The list may only
 * shrink: an entry that is not needed is an error, and a violation must not exceed the size.
 */
final class ExceptionList {
  private static final Pattern ENTRY = Pattern.compile("(\\S+ \\S+ \\S+) (\\d+) +# *\\S.*");

  private final Map<String, Integer> sizes = new LinkedHashMap<>();

  static ExceptionList ofTheTree() {
    try (InputStream in = ExceptionList.class.getResourceAsStream("exceptions.txt")) {
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ExceptionList parse(String text) {
    ExceptionList list = new ExceptionList();
    for (String line : text.lines().toList()) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      Matcher entry = ENTRY.matcher(line);
      if (!entry.matches()) {
        throw new IllegalArgumentException("no \"RULE FROM TO SIZE # REASON\": " + line);
      }
      String key = entry.group(1);
      if (list.sizes.put(key, Integer.valueOf(entry.group(2))) != null) {
        throw new IllegalArgumentException("listed twice: " + key);
      }
    }
    return list;
  }

  int size() {
    return sizes.size();
  }

  int size(LayoutRule rule) {
    return (int) sizes.keySet().stream().filter(key -> key.startsWith(rule.name() + " ")).count();
  }

  /** Returns the violations that are not permitted, and the entries that are not needed. */
  List<String> problems(LayoutRule rule, List<Violation> violations) {
    List<String> problems = new ArrayList<>();
    Set<String> needed = new HashSet<>();
    for (Violation violation : violations) {
      String key = violation.rule() + " " + violation.from() + " " + violation.to();
      needed.add(key);
      if (violation.size() > sizes.getOrDefault(key, 0)) {
        problems.add(violation.toString());
      }
    }
    for (String key : sizes.keySet()) {
      if (key.startsWith(rule.name() + " ") && !needed.contains(key)) {
        problems.add("exception that is not needed: " + key);
      }
    }
    return problems;
  }
}
