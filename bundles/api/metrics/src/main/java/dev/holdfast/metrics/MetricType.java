package dev.holdfast.metrics;

/** The types of series, as OpenMetrics 1.0 defines them. */
public enum MetricType {
  /**
   * A number that only increases during the life of its object. The name ends in {@code _total}.
   */
  COUNTER,
  /** A number that can increase and decrease. */
  GAUGE,
  /** Observations, counted by size. */
  HISTOGRAM,
  /** The constant 1 with labels for joins. The name ends in {@code _info}. */
  INFO
}
