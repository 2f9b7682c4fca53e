package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.BucketCounter;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.Metrics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;

/** Values of one definition that a bundle sets between scrapes. Thread-safe. */
abstract class KeptSeries {
  private final MetricDefinition definition;

  KeptSeries(MetricDefinition definition) {
    this.definition = definition;
  }

  MetricDefinition definition() {
    return definition;
  }

  List<String> labels(String... values) {
    return CheckedSink.labels(definition, values);
  }

  abstract void addTo(SampleMap samples);

  /** A counter. */
  static final class Counter extends KeptSeries implements Metrics.Counter {
    private final Map<List<String>, DoubleAdder> values = new ConcurrentHashMap<>();

    Counter(MetricDefinition definition) {
      super(definition);
    }

    @Override
    public void add(double amount, String... labels) {
      if (!(amount >= 0)) {
        throw new IllegalArgumentException(
            "series " + definition().name() + ": " + amount + ": must not be negative");
      }
      values.computeIfAbsent(labels(labels), key -> new DoubleAdder()).add(amount);
    }

    @Override
    public void remove(String... labels) {
      values.remove(labels(labels));
    }

    @Override
    void addTo(SampleMap samples) {
      values.forEach((labels, value) -> samples.value(definition(), value.sum(), labels));
    }
  }

  /** A gauge, or an info, whose value is always 1. */
  static final class Value extends KeptSeries implements Metrics.Gauge, Metrics.Info {
    private final Map<List<String>, Double> values = new ConcurrentHashMap<>();

    Value(MetricDefinition definition) {
      super(definition);
    }

    @Override
    public void set(double value, String... labels) {
      values.put(labels(labels), value);
    }

    @Override
    public void add(String... labels) {
      set(1, labels);
    }

    @Override
    public void remove(String... labels) {
      values.remove(labels(labels));
    }

    @Override
    void addTo(SampleMap samples) {
      values.forEach((labels, value) -> samples.value(definition(), value, labels));
    }
  }

  /** A histogram. */
  static final class Histogram extends KeptSeries implements Metrics.Histogram {
    private final Map<List<String>, BucketCounter> values = new ConcurrentHashMap<>();

    Histogram(MetricDefinition definition) {
      super(definition);
    }

    @Override
    public void observe(double value, String... labels) {
      values
          .computeIfAbsent(labels(labels), key -> new BucketCounter(definition().bounds()))
          .observe(value);
    }

    @Override
    public void remove(String... labels) {
      values.remove(labels(labels));
    }

    @Override
    void addTo(SampleMap samples) {
      values.forEach((labels, value) -> samples.histogram(definition(), value.counts(), labels));
    }
  }
}
