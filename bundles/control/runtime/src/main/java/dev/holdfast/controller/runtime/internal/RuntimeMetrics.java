package dev.holdfast.controller.runtime.internal;

import dev.holdfast.controller.runtime.ControllerStatistics;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.metrics.Metrics;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Reports the statistics of this node's reconcilers at a scrape. */
@Component(service = {})
public final class RuntimeMetrics implements MetricSource {
  private final RuntimeComponent runtime;
  private final Metrics.Collection collection;

  /** Registers the source of the series. */
  @Activate
  public RuntimeMetrics(@Reference Metrics metrics, @Reference RuntimeComponent runtime) {
    this.runtime = runtime;
    this.collection = metrics.collect(this);
  }

  @Deactivate
  void close() {
    collection.close();
  }

  @Override
  public List<MetricDefinition> definitions() {
    return new RuntimeSeries().definitions();
  }

  @Override
  public void collect(MetricSink sink) {
    runtime.statistics().forEach((name, statistics) -> report(sink, name, statistics));
    runtime
        .storeTimes()
        .forEach(
            (request, times) ->
                sink.histogram(
                    RuntimeSeries.STORE, times.counts(), request.operation(), request.code()));
  }

  private static void report(MetricSink sink, String name, ControllerStatistics statistics) {
    sink.histogram(RuntimeSeries.SECONDS, statistics.seconds(), name);
    sink.value(RuntimeSeries.ERRORS, (double) statistics.failures(), name);
    sink.value(RuntimeSeries.DEPTH, statistics.waiting(), name);
    if (statistics.leased()) {
      sink.value(RuntimeSeries.LEASE, statistics.active() ? 1 : 0, name);
    }
  }
}
