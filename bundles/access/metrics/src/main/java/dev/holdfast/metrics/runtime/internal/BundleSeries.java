package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.metrics.MetricType;
import dev.holdfast.metrics.Metrics;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** The series of one bundle. Thread-safe. */
final class BundleSeries implements Metrics {
  private final String symbolicName;
  private final NameClaims claims;
  private final Map<String, KeptSeries> kept = new ConcurrentHashMap<>();
  private final List<SourceCall> sources = new CopyOnWriteArrayList<>();

  BundleSeries(String symbolicName, NameClaims claims) {
    this.symbolicName = symbolicName;
    this.claims = claims;
  }

  String symbolicName() {
    return symbolicName;
  }

  java.util.Collection<KeptSeries> kept() {
    return kept.values();
  }

  List<SourceCall> sources() {
    return sources;
  }

  @Override
  public Counter counter(MetricDefinition definition) {
    return (Counter) series(definition, MetricType.COUNTER, KeptSeries.Counter::new);
  }

  @Override
  public Gauge gauge(MetricDefinition definition) {
    return (Gauge) series(definition, MetricType.GAUGE, KeptSeries.Value::new);
  }

  @Override
  public Histogram histogram(MetricDefinition definition) {
    return (Histogram) series(definition, MetricType.HISTOGRAM, KeptSeries.Histogram::new);
  }

  @Override
  public Info info(MetricDefinition definition) {
    return (Info) series(definition, MetricType.INFO, KeptSeries.Value::new);
  }

  private KeptSeries series(
      MetricDefinition definition, MetricType type, Function<MetricDefinition, KeptSeries> made) {
    if (definition.type() != type) {
      throw new IllegalArgumentException(
          "series " + definition.name() + ": not " + type + ", but " + definition.type());
    }
    claims.claim(this, symbolicName, definition);
    return kept.computeIfAbsent(definition.name(), name -> made.apply(definition));
  }

  @Override
  public Collection collect(MetricSource source) {
    List<MetricDefinition> definitions = List.copyOf(source.definitions());
    definitions.forEach(definition -> claims.claim(this, symbolicName, definition));
    SourceCall call = new SourceCall(symbolicName, source, Set.copyOf(definitions));
    sources.add(call);
    return () -> sources.remove(call);
  }
}
