package dev.holdfast.datapath.internal.figures;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricDefinitions;
import java.util.List;

/** The series of attached volumes. */
public final class VolumeSeries implements MetricDefinitions {
  private static final String GROUP = "volume";
  private static final String VOLUME = "volume";
  private static final String KIND = "kind";

  static final MetricDefinition REQUESTS =
      MetricDefinition.counter(
          GROUP,
          "holdfast_volume_requests_total",
          "Requests of hosts that have ended, failed ones too, by kind: read, write, flush, trim,"
              + " write_zeroes, extents.",
          VOLUME,
          KIND);
  static final MetricDefinition BYTES =
      MetricDefinition.counter(
          GROUP,
          "holdfast_volume_bytes_total",
          "Bytes that successful requests moved or covered.",
          VOLUME,
          KIND);
  static final MetricDefinition ERRORS =
      MetricDefinition.counter(
          GROUP,
          "holdfast_volume_errors_total",
          "Failed requests by error code; unknown where the engine itself exports the volume.",
          VOLUME,
          KIND,
          "code");
  static final MetricDefinition SECONDS =
      MetricDefinition.histogram(
          GROUP,
          "holdfast_volume_request_seconds",
          "Time of a read, write or flush from its arrival at the gate to its completion.",
          MetricDefinition.REQUEST_SECONDS,
          VOLUME,
          KIND);
  static final MetricDefinition IN_FLIGHT =
      MetricDefinition.gauge(
          GROUP,
          "holdfast_volume_requests_in_flight",
          "Requests that have not ended, held ones too.",
          VOLUME);
  static final MetricDefinition THROTTLED =
      MetricDefinition.counter(
          GROUP,
          "holdfast_volume_throttled_seconds_total",
          "Time that requests waited for the volume's limits, summed over the requests.",
          VOLUME);
  static final MetricDefinition GATE_CLOSED =
      MetricDefinition.histogram(
          GROUP,
          "holdfast_volume_gate_closed_seconds",
          "Pauses in which the gate held all requests, by cause: snapshot, replacement, migration.",
          MetricDefinition.REQUEST_SECONDS,
          VOLUME,
          "cause");

  @Override
  public List<MetricDefinition> definitions() {
    return List.of(REQUESTS, BYTES, ERRORS, SECONDS, IN_FLIGHT, THROTTLED, GATE_CLOSED);
  }
}
