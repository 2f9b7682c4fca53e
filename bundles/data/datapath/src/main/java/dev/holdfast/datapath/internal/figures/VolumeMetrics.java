package dev.holdfast.datapath.internal.figures;

import dev.holdfast.block.filter.DurationCounts;
import dev.holdfast.block.filter.GateStatistics;
import dev.holdfast.block.filter.IoKind;
import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.metrics.BucketCounts;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.metrics.Metrics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Reports the statistics of the attached volumes' gates at a scrape. */
@Component(service = {})
public final class VolumeMetrics implements MetricSource {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final FiguresOfVolumes volumes;
  private final Metrics.Collection collection;

  /** Starts to report. */
  @Activate
  public VolumeMetrics(@Reference Metrics metrics, @Reference FiguresOfVolumes volumes) {
    this.volumes = volumes;
    this.collection = metrics.collect(this);
  }

  /** Stops reporting. */
  @Deactivate
  public void close() {
    collection.close();
  }

  @Override
  public List<MetricDefinition> definitions() {
    return new VolumeSeries().definitions();
  }

  @Override
  public void collect(MetricSink sink) {
    volumes.figures().forEach(figures -> report(figures, sink));
  }

  private static void report(VolumeFigures figures, MetricSink sink) {
    String volume = figures.volume();
    for (IoKind kind : IoKind.values()) {
      IoStatistics.Count count = figures.io().of(kind);
      if (count.requests() > 0) {
        sink.value(VolumeSeries.REQUESTS, (double) count.requests(), volume, word(kind));
        sink.value(VolumeSeries.BYTES, (double) count.bytes(), volume, word(kind));
        errors(figures, kind, count, sink);
      }
    }
    long held = figures.gate().map(gate -> (long) gate.io().inFlight()).orElse(0L);
    sink.value(VolumeSeries.IN_FLIGHT, (double) Math.max(held, figures.io().inFlight()), volume);
    sink.value(VolumeSeries.THROTTLED, figures.throttledNanos() / NANOS, volume);
    figures.gate().ifPresent(gate -> durations(volume, gate, sink));
  }

  /** The gate counts by error code; an export of an engine counts only failures. */
  private static void errors(
      VolumeFigures figures, IoKind kind, IoStatistics.Count count, MetricSink sink) {
    Optional<GateStatistics> counted =
        figures.gate().filter(gate -> gate.io().of(kind).errors() >= count.errors());
    if (counted.isPresent()) {
      counted
          .get()
          .errors()
          .getOrDefault(kind, Map.of())
          .forEach(
              (code, errors) ->
                  sink.value(
                      VolumeSeries.ERRORS,
                      (double) errors,
                      figures.volume(),
                      word(kind),
                      word(code)));
    } else {
      sink.value(
          VolumeSeries.ERRORS, (double) count.errors(), figures.volume(), word(kind), "unknown");
    }
  }

  private static void durations(String volume, GateStatistics gate, MetricSink sink) {
    gate.durations()
        .forEach(
            (kind, times) -> {
              if (times.count() > 0) {
                sink.histogram(VolumeSeries.SECONDS, seconds(times), volume, word(kind));
              }
            });
    gate.holds()
        .forEach(
            (cause, times) ->
                sink.histogram(VolumeSeries.GATE_CLOSED, seconds(times), volume, word(cause)));
  }

  private static BucketCounts seconds(DurationCounts times) {
    return new BucketCounts(times.counts(), times.nanos() / NANOS);
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
