package dev.holdfast.access.clients.internal;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricDefinitions;
import java.util.List;

/** The metrics of refused clients of volumes. */
public final class RefusalSeries implements MetricDefinitions {
  static final MetricDefinition REFUSALS =
      MetricDefinition.counter(
          "frontend",
          "holdfast_frontend_refusals_total",
          "Clients of volumes that were refused, by reason: no_credential, certificate, secret,"
              + " export, withdrawn.",
          "frontend",
          "reason");

  @Override
  public List<MetricDefinition> definitions() {
    return List.of(REFUSALS);
  }
}
