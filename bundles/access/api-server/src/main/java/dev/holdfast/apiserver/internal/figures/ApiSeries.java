package dev.holdfast.apiserver.internal.figures;

import dev.holdfast.http.ConnectionRefusal;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricDefinitions;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The series of the API server. */
public final class ApiSeries implements MetricDefinitions {
  private static final String GROUP = "api";
  private static final MetricDefinition REQUESTS =
      MetricDefinition.counter(
          GROUP,
          "holdfast_api_requests_total",
          "Requests to the API of the node by verb, kind and HTTP status.",
          "verb",
          "kind",
          "code");
  private static final MetricDefinition SECONDS =
      MetricDefinition.histogram(
          GROUP,
          "holdfast_api_request_seconds",
          "Time until the answer to a request is ready; of a watch, until it begins.",
          MetricDefinition.REQUEST_SECONDS,
          "verb");
  private static final MetricDefinition WATCHES =
      MetricDefinition.gauge(GROUP, "holdfast_api_watches", "Watches that are open.");

  private static final MetricDefinition REFUSED =
      MetricDefinition.counter(
          GROUP,
          "holdfast_api_connections_refused_total",
          "Connections that the server closed because of a limit or of what the client sent, by reason.",
          "reason");

  @Override
  public List<MetricDefinition> definitions() {
    return List.of(REQUESTS, SECONDS, WATCHES, REFUSED);
  }

  /**
   * Returns a source that reports figures.
   *
   * @param refusals supplies the number of refused connections since the start of the server
   */
  public static MetricSource source(
      ApiFigures figures, Supplier<Map<ConnectionRefusal, Long>> refusals) {
    return new MetricSource() {
      @Override
      public List<MetricDefinition> definitions() {
        return new ApiSeries().definitions();
      }

      @Override
      public void collect(MetricSink sink) {
        figures
            .requests()
            .forEach(
                (request, count) ->
                    sink.value(
                        REQUESTS,
                        (double) count.sum(),
                        request.verb(),
                        request.kind(),
                        String.valueOf(request.code())));
        figures.seconds().forEach((verb, times) -> sink.histogram(SECONDS, times.counts(), verb));
        sink.value(WATCHES, (double) figures.watches());
        refusals
            .get()
            .forEach((reason, count) -> sink.value(REFUSED, (double) count, reason.label()));
      }
    };
  }
}
