package dev.holdfast.metrics;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** Reports values at a scrape. Thread-safe, because scrapes may be concurrent. */
@ConsumerType
public interface MetricSource {
  /** Returns the possible series of the source; a constant, never null. */
  List<MetricDefinition> definitions();

  /**
   * Reports the present values. The scrape omits a source that throws or takes longer than 5 s,
   * which the series {@code holdfast_metrics_source_failures_total} counts.
   *
   * @param sink receives the values until this method returns, not null
   * @throws Exception when the values cannot be determined
   */
  void collect(MetricSink sink) throws Exception;
}
