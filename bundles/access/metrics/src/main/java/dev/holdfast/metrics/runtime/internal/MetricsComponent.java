package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricDefinitions;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/** The registry of a node, and its own series. */
@Component(service = MetricsComponent.class)
public final class MetricsComponent implements MetricSource, MetricDefinitions {
  private static final MetricDefinition FAILURES =
      MetricDefinition.counter(
          "metrics",
          "holdfast_metrics_source_failures_total",
          "Scrapes in which a source of a bundle failed or did not answer within 5 s.",
          "bundle");

  private final ExecutorService threads = threads();
  private final AllSeries series = new AllSeries(threads, AllSeries.LONGEST_SCRAPE);

  /** Creates a registry without series of other bundles. */
  @Activate
  public MetricsComponent() {
    var unused = series.open("dev.holdfast.metrics.runtime").collect(this);
  }

  private static ExecutorService threads() {
    AtomicInteger number = new AtomicInteger();
    return Executors.newCachedThreadPool(
        task -> {
          Thread thread = new Thread(task, "holdfast-metrics-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  AllSeries series() {
    return series;
  }

  @Override
  public List<MetricDefinition> definitions() {
    return List.of(FAILURES);
  }

  @Override
  public void collect(MetricSink sink) {
    series
        .failures()
        .forEach((bundle, count) -> sink.value(FAILURES, (double) count.sum(), bundle));
  }

  @Deactivate
  void close() {
    threads.shutdownNow();
  }
}
