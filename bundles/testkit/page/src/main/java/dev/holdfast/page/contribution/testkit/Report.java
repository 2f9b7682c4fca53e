package dev.holdfast.page.contribution.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Observations of the browser.
 *
 * @param values reported texts in order, by topic
 */
record Report(Map<String, List<String>> values) {
  static final Report EMPTY = new Report(Map.of());

  Report {
    values = Map.copyOf(values);
  }

  /** Parses lines that consist of a topic, a tab and a text. */
  static Report of(List<String> lines) {
    Map<String, List<String>> values = new TreeMap<>();
    for (String line : lines) {
      String[] words = line.split("\t", 2);
      values.computeIfAbsent(words[0], topic -> new ArrayList<>()).add(words[words.length - 1]);
    }
    return new Report(values);
  }

  List<String> values(String topic) {
    return values.getOrDefault(topic, List.of());
  }

  /** Returns the last text of a topic; empty if none exists. */
  String value(String topic) {
    List<String> all = values(topic);
    return all.isEmpty() ? "" : all.get(all.size() - 1);
  }
}
