package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.metrics.Metrics;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;

/** The metrics service of one bundle. */
@Component(scope = ServiceScope.BUNDLE)
public final class MetricsService implements Metrics {
  private final AllSeries all;
  private final BundleSeries own;

  /** Creates the series of a bundle. */
  @Activate
  public MetricsService(@Reference MetricsComponent component, ComponentContext context) {
    all = component.series();
    own = all.open(context.getUsingBundle().getSymbolicName());
  }

  /** Ends the series of the bundle. */
  @Deactivate
  void close() {
    all.close(own);
  }

  @Override
  public Counter counter(MetricDefinition definition) {
    return own.counter(definition);
  }

  @Override
  public Gauge gauge(MetricDefinition definition) {
    return own.gauge(definition);
  }

  @Override
  public Histogram histogram(MetricDefinition definition) {
    return own.histogram(definition);
  }

  @Override
  public Info info(MetricDefinition definition) {
    return own.info(definition);
  }

  @Override
  public Collection collect(MetricSource source) {
    return own.collect(source);
  }
}
