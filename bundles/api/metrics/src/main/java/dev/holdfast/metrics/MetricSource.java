package dev.holdfast.metrics;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** Reports values at a scrape. Thread-safe: two scrapes may ask at the same time. */
@ConsumerType
public interface MetricSource {
  /** Returns the series that it can report; a constant, never null. */
  List<MetricDefinition> definitions();

  /**
   * Reports the present values. A source that throws or takes longer than 5 s is left out of the
   * scrape, which the series {@code holdfast_metrics_source_failures_total} counts.
   *
   * @param sink takes the values, until this method returns, not null
   * @throws Exception when the values cannot be found
   */
  void collect(MetricSink sink) throws Exception;
}
