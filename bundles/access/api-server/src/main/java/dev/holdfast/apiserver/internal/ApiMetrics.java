package dev.holdfast.apiserver.internal;

import dev.holdfast.metrics.Metrics;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Reports the metrics of the server at a scrape. */
@Component(service = {})
public final class ApiMetrics {
  private final Metrics.Collection collection;

  /** Registers the source of the metrics. */
  @Activate
  public ApiMetrics(@Reference Metrics metrics, @Reference ApiServerComponent server) {
    collection = metrics.collect(server.metrics());
  }

  @Deactivate
  void close() {
    collection.close();
  }
}
