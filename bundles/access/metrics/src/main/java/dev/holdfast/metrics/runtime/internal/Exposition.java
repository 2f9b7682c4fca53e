package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.BucketCounts;
import dev.holdfast.metrics.MetricDefinition;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** Writes values in one of the two text formats of Prometheus. */
enum Exposition {
  /** OpenMetrics text 1.0. */
  OPEN_METRICS,
  /** Prometheus text 0.0.4. */
  PROMETHEUS;

  private ExpositionFormatWriter writer() {
    return switch (this) {
      case OPEN_METRICS -> OpenMetricsTextFormatWriter.create();
      case PROMETHEUS -> PrometheusTextFormatWriter.create();
    };
  }

  /** Returns the format that a client prefers. */
  static Exposition accepted(String accept) {
    return OPEN_METRICS.writer().accepts(accept) ? OPEN_METRICS : PROMETHEUS;
  }

  String contentType() {
    return writer().getContentType();
  }

  /** Writes the values of bundles, followed by those of the library's own collectors. */
  void write(OutputStream out, SampleMap samples, MetricSnapshots others) throws IOException {
    List<MetricSnapshot> all = new ArrayList<>();
    samples.families().forEach(family -> all.add(snapshot(family)));
    others.forEach(all::add);
    writer().write(out, new MetricSnapshots(all), EscapingScheme.UNDERSCORE_ESCAPING);
  }

  private static MetricSnapshot snapshot(SampleMap.Family family) {
    MetricDefinition definition = family.definition();
    return switch (definition.type()) {
      case COUNTER ->
          new CounterSnapshot(
              metadata(definition, "_total"),
              family.values().entrySet().stream()
                  .map(
                      e ->
                          new CounterSnapshot.CounterDataPointSnapshot(
                              e.getValue(), labels(definition, e.getKey()), null, 0))
                  .toList());
      case GAUGE ->
          new GaugeSnapshot(
              metadata(definition, ""),
              family.values().entrySet().stream()
                  .map(
                      e ->
                          new GaugeSnapshot.GaugeDataPointSnapshot(
                              e.getValue(), labels(definition, e.getKey()), null))
                  .toList());
      case INFO ->
          new InfoSnapshot(
              metadata(definition, "_info"),
              family.values().keySet().stream()
                  .map(key -> new InfoSnapshot.InfoDataPointSnapshot(labels(definition, key)))
                  .toList());
      case HISTOGRAM ->
          new HistogramSnapshot(
              metadata(definition, ""),
              family.histograms().entrySet().stream()
                  .map(e -> histogram(definition, e.getValue(), e.getKey()))
                  .toList());
    };
  }

  private static HistogramSnapshot.HistogramDataPointSnapshot histogram(
      MetricDefinition definition, BucketCounts counts, List<String> labels) {
    List<Double> bounds = new ArrayList<>(definition.bounds());
    bounds.add(Double.POSITIVE_INFINITY);
    return new HistogramSnapshot.HistogramDataPointSnapshot(
        ClassicHistogramBuckets.of(bounds, counts.counts()),
        counts.sum(),
        labels(definition, labels),
        Exemplars.EMPTY,
        0);
  }

  private static MetricMetadata metadata(MetricDefinition definition, String suffix) {
    String name = definition.name();
    return new MetricMetadata(
        name.substring(0, name.length() - suffix.length()), definition.help());
  }

  private static Labels labels(MetricDefinition definition, List<String> values) {
    return Labels.of(definition.labels(), values);
  }
}
