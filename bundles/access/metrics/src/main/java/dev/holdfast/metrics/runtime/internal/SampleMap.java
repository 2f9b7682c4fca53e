package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.BucketCounts;
import dev.holdfast.metrics.MetricDefinition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Values of one scrape, by name and labels. During a replacement two versions of a bundle may
 * report the same series; counts are then added, and the later value of a gauge is used. For one
 * thread.
 */
final class SampleMap {
  private final Map<String, Family> families = new TreeMap<>();

  /**
   * Values of one name.
   *
   * @param definition of the name
   * @param values values of counters, gauges and infos by labels
   * @param histograms by labels
   */
  record Family(
      MetricDefinition definition,
      Map<List<String>, Double> values,
      Map<List<String>, BucketCounts> histograms) {}

  private Family family(MetricDefinition definition) {
    return families.computeIfAbsent(
        definition.name(),
        name -> new Family(definition, new LinkedHashMap<>(), new LinkedHashMap<>()));
  }

  void value(MetricDefinition definition, double value, List<String> labels) {
    Map<List<String>, Double> values = family(definition).values();
    switch (definition.type()) {
      case COUNTER -> values.merge(labels, value, Double::sum);
      case GAUGE, INFO -> values.put(labels, value);
      case HISTOGRAM -> throw new IllegalArgumentException(definition.name() + ": needs buckets");
    }
  }

  void histogram(MetricDefinition definition, BucketCounts counts, List<String> labels) {
    family(definition).histograms().merge(labels, counts, SampleMap::sum);
  }

  private static BucketCounts sum(BucketCounts one, BucketCounts other) {
    List<Long> counts = new ArrayList<>();
    for (int i = 0; i < one.counts().size(); i++) {
      counts.add(one.counts().get(i) + other.counts().get(i));
    }
    return new BucketCounts(counts, one.sum() + other.sum());
  }

  /** Adds the values of another map whose definitions are selected. */
  void addAll(SampleMap other, Predicate<MetricDefinition> selected) {
    for (Family family : other.families.values()) {
      if (!selected.test(family.definition())) {
        continue;
      }
      family.values().forEach((labels, value) -> value(family.definition(), value, labels));
      family
          .histograms()
          .forEach((labels, counts) -> histogram(family.definition(), counts, labels));
    }
  }

  /** Returns the values with a given value of a label; omits families without this label. */
  SampleMap withLabel(String label, String wanted) {
    SampleMap selected = new SampleMap();
    for (Family family : families.values()) {
      int index = family.definition().labels().indexOf(label);
      if (index < 0) {
        continue;
      }
      family.values().entrySet().stream()
          .filter(entry -> entry.getKey().get(index).equals(wanted))
          .forEach(entry -> selected.value(family.definition(), entry.getValue(), entry.getKey()));
      family.histograms().entrySet().stream()
          .filter(entry -> entry.getKey().get(index).equals(wanted))
          .forEach(
              entry -> selected.histogram(family.definition(), entry.getValue(), entry.getKey()));
    }
    return selected;
  }

  /** Returns the families by name. */
  List<Family> families() {
    return List.copyOf(families.values());
  }
}
