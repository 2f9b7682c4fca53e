package dev.holdfast.access.clients.internal;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.metrics.Metrics;
import java.util.List;
import java.util.Locale;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Reports the number of refused clients at a scrape. */
@Component(service = {})
public final class RefusalMetrics implements MetricSource {
  private final StoreClients clients;
  private final Metrics.Collection collection;

  /** Registers the source of the metrics. */
  @Activate
  public RefusalMetrics(@Reference Metrics metrics, @Reference StoreClients clients) {
    this.clients = clients;
    this.collection = metrics.collect(this);
  }

  /** Removes the source of the metrics. */
  @Deactivate
  public void close() {
    collection.close();
  }

  @Override
  public List<MetricDefinition> definitions() {
    return new RefusalSeries().definitions();
  }

  @Override
  public void collect(MetricSink sink) {
    clients
        .refusals()
        .forEach(
            (counted, count) ->
                sink.value(
                    RefusalSeries.REFUSALS,
                    (double) count.sum(),
                    counted.frontend(),
                    counted.reason().name().toLowerCase(Locale.ROOT)));
  }
}
