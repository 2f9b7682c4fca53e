package dev.holdfast.metrics;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Name, type and labels of a series. Immutable; the constructor checks all rules of names.
 *
 * @param group group that a scrape can select, for example {@code volume}, not null
 * @param name name in the scrape, with the suffix of its type, not null
 * @param type of the series, not null
 * @param help one sentence for users, not null
 * @param bounds upper bounds of a histogram's buckets in ascending order, without infinity; empty
 *     for other types, not null
 * @param labels names of the labels, in the order of their values, not null
 */
public record MetricDefinition(
    String group,
    String name,
    MetricType type,
    String help,
    List<Double> bounds,
    List<String> labels) {

  /** Bounds of requests, in seconds: from 100 microseconds to 10 seconds. */
  public static final List<Double> REQUEST_SECONDS =
      List.of(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 1.0, 10.0);

  /** Bounds of slow steps, in seconds: from 100 milliseconds to 300 seconds. */
  public static final List<Double> STEP_SECONDS = List.of(0.1, 0.5, 1.0, 5.0, 10.0, 60.0, 300.0);

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");

  /**
   * Checks the name, the labels and the bounds, and copies the lists.
   *
   * @throws IllegalArgumentException with the series, the value and the rule
   */
  public MetricDefinition {
    Objects.requireNonNull(type, "type");
    bounds = List.copyOf(bounds);
    labels = List.copyOf(labels);
    check(NAME.matcher(name).matches(), name, "name", name, "must be of a-z, 0-9 and _");
    check(NAME.matcher(group).matches(), name, "group", group, "must be of a-z, 0-9 and _");
    check(!help.isBlank(), name, "help", help, "must not be empty");
    check(
        name.endsWith("_total") == (type == MetricType.COUNTER),
        name,
        "type",
        type,
        "counters, and no others, end in _total");
    check(
        name.endsWith("_info") == (type == MetricType.INFO),
        name,
        "type",
        type,
        "infos, and no others, end in _info");
    check(
        bounds.isEmpty() != (type == MetricType.HISTOGRAM),
        name,
        "bounds",
        bounds,
        "a histogram, and no other type, needs them");
    check(
        bounds.equals(bounds.stream().distinct().sorted().toList())
            && bounds.stream().allMatch(Double::isFinite),
        name,
        "bounds",
        bounds,
        "must be finite and rise");
    for (String label : labels) {
      check(NAME.matcher(label).matches(), name, "label", label, "must be of a-z, 0-9 and _");
      check(!label.equals("le"), name, "label", label, "is reserved for buckets");
    }
    check(new HashSet<>(labels).size() == labels.size(), name, "labels", labels, "must differ");
  }

  private static void check(
      boolean holds, String series, String field, Object value, String problem) {
    if (!holds) {
      throw new IllegalArgumentException(
          "series " + series + ": " + field + " " + value + ": " + problem);
    }
  }

  /** Returns a counter; the parameters are those of the record, not null. */
  public static MetricDefinition counter(String group, String name, String help, String... labels) {
    return new MetricDefinition(group, name, MetricType.COUNTER, help, List.of(), List.of(labels));
  }

  /** Returns a gauge; the parameters are those of the record, not null. */
  public static MetricDefinition gauge(String group, String name, String help, String... labels) {
    return new MetricDefinition(group, name, MetricType.GAUGE, help, List.of(), List.of(labels));
  }

  /** Returns a histogram; the parameters are those of the record, not null. */
  public static MetricDefinition histogram(
      String group, String name, String help, List<Double> bounds, String... labels) {
    return new MetricDefinition(group, name, MetricType.HISTOGRAM, help, bounds, List.of(labels));
  }

  /** Returns an info; the parameters are those of the record, not null. */
  public static MetricDefinition info(String group, String name, String help, String... labels) {
    return new MetricDefinition(group, name, MetricType.INFO, help, List.of(), List.of(labels));
  }
}
