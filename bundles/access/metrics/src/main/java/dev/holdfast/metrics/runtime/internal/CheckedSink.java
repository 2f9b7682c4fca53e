package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.BucketCounts;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricType;
import java.util.List;
import java.util.Set;

/** Receives the values of one source, and rejects values that its definitions do not permit. */
final class CheckedSink implements MetricSink {
  private final Set<MetricDefinition> listed;
  private final SampleMap samples = new SampleMap();

  CheckedSink(Set<MetricDefinition> listed) {
    this.listed = listed;
  }

  SampleMap samples() {
    return samples;
  }

  @Override
  public void value(MetricDefinition definition, double value, String... labels) {
    List<String> values = checked(definition, labels);
    boolean counter = definition.type() == MetricType.COUNTER;
    if (!counter && definition.type() != MetricType.GAUGE) {
      throw new IllegalArgumentException(
          "series " + definition.name() + ": not a counter or gauge, but " + definition.type());
    }
    if (counter && !(value >= 0)) {
      throw new IllegalArgumentException(
          "series " + definition.name() + ": " + value + ": a counter must not be negative");
    }
    samples.value(definition, value, values);
  }

  @Override
  public void histogram(MetricDefinition definition, BucketCounts counts, String... labels) {
    List<String> values = checked(definition, labels);
    require(definition, MetricType.HISTOGRAM);
    if (counts.counts().size() != definition.bounds().size() + 1) {
      throw new IllegalArgumentException(
          "series "
              + definition.name()
              + ": "
              + counts.counts().size()
              + " buckets: must be one more than its "
              + definition.bounds().size()
              + " bounds");
    }
    samples.histogram(definition, counts, values);
  }

  @Override
  public void info(MetricDefinition definition, String... labels) {
    List<String> values = checked(definition, labels);
    require(definition, MetricType.INFO);
    samples.value(definition, 1, values);
  }

  private List<String> checked(MetricDefinition definition, String... labels) {
    if (!listed.contains(definition)) {
      throw new IllegalArgumentException(
          "series " + definition.name() + ": its source does not list this definition");
    }
    return labels(definition, labels);
  }

  private static void require(MetricDefinition definition, MetricType type) {
    if (definition.type() != type) {
      throw new IllegalArgumentException(
          "series " + definition.name() + ": not " + type + ", but " + definition.type());
    }
  }

  /** Returns the values of labels, whose number must be that of the definition. */
  static List<String> labels(MetricDefinition definition, String... values) {
    if (values.length != definition.labels().size()) {
      throw new IllegalArgumentException(
          "series "
              + definition.name()
              + ": "
              + values.length
              + " values of labels: must be "
              + definition.labels());
    }
    return List.of(values);
  }
}
