package dev.holdfast.controller.runtime.internal;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricDefinitions;
import java.util.List;

/** The series of controllers and of their requests to the store. */
public final class RuntimeSeries implements MetricDefinitions {
  private static final String GROUP = "control";
  private static final String RECONCILER = "reconciler";

  static final MetricDefinition SECONDS =
      MetricDefinition.histogram(
          GROUP,
          "holdfast_reconcile_seconds",
          "Time of a step of a reconciler.",
          MetricDefinition.REQUEST_SECONDS,
          RECONCILER);
  static final MetricDefinition ERRORS =
      MetricDefinition.counter(
          GROUP,
          "holdfast_reconcile_errors_total",
          "Steps of a reconciler that failed; conflicts with newer versions are left out.",
          RECONCILER);
  static final MetricDefinition DEPTH =
      MetricDefinition.gauge(
          GROUP,
          "holdfast_workqueue_depth",
          "Names that wait for a worker of a reconciler.",
          RECONCILER);
  static final MetricDefinition LEASE =
      MetricDefinition.gauge(
          GROUP,
          "holdfast_lease_held",
          "1 where the node runs a reconciler of the cluster, because it holds its lease.",
          "name");
  static final MetricDefinition STORE =
      MetricDefinition.histogram(
          "store",
          "holdfast_store_request_seconds",
          "Time of a request of the node's controllers to the store, by outcome: ok or error code.",
          MetricDefinition.REQUEST_SECONDS,
          "operation",
          "code");

  @Override
  public List<MetricDefinition> definitions() {
    return List.of(SECONDS, ERRORS, DEPTH, LEASE, STORE);
  }
}
