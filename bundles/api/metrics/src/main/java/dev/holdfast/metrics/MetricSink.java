package dev.holdfast.metrics;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Takes the values of a {@link MetricSource} at one scrape. For one thread. Values of labels are in
 * the order of the definition, none null. All methods throw {@link IllegalArgumentException} for a
 * definition that the source does not list and for a wrong number of labels.
 */
@ProviderType
public interface MetricSink {
  /**
   * Reports a counter or a gauge.
   *
   * @param definition of type COUNTER or GAUGE, not null
   * @param value of a counter: not negative
   */
  void value(MetricDefinition definition, double value, String... labels);

  /**
   * Reports a histogram.
   *
   * @param definition of type HISTOGRAM, not null
   * @param counts with one bucket more than the definition has bounds, not null
   */
  void histogram(MetricDefinition definition, BucketCounts counts, String... labels);

  /**
   * Reports an info.
   *
   * @param definition of type INFO, not null
   */
  void info(MetricDefinition definition, String... labels);
}
