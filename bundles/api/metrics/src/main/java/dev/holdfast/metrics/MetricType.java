package dev.holdfast.metrics;

/** The types of series, as OpenMetrics 1.0 defines them. */
public enum MetricType {
  /** A number that only grows until its object ends. The name ends in {@code _total}. */
  COUNTER,
  /** A number that goes up and down. */
  GAUGE,
  /** Observations, counted by their size. */
  HISTOGRAM,
  /** The constant 1 with labels for joins. The name ends in {@code _info}. */
  INFO
}
