package dev.holdfast.metrics;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Receives the values of a {@link MetricSource} at one scrape. Not thread-safe. Values of labels
 * are in the order of the definition and not null. All methods throw {@link
 * IllegalArgumentException} for a definition that the source does not list and for a wrong number
 * of labels.
 */
@ProviderType
public interface MetricSink {
  /**
   * Reports a counter or a gauge.
   *
   * @param definition of type COUNTER or GAUGE, not null
   * @param value the value; not negative for a counter
   */
  void value(MetricDefinition definition, double value, String... labels);

  /**
   * Reports a histogram.
   *
   * @param definition of type HISTOGRAM, not null
   * @param counts observations, with one bucket more than the bounds of the definition, not null
   */
  void histogram(MetricDefinition definition, BucketCounts counts, String... labels);

  /**
   * Reports an info.
   *
   * @param definition of type INFO, not null
   */
  void info(MetricDefinition definition, String... labels);
}
