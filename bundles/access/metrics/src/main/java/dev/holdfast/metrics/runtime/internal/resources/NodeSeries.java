package dev.holdfast.metrics.runtime.internal.resources;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricDefinitions;
import java.util.List;

/** The series of one node, its disks and its bundles. */
public final class NodeSeries implements MetricDefinitions {
  static final MetricDefinition NODE_INFO =
      MetricDefinition.info(
          "node",
          "holdfast_node_info",
          "Version, start and kernel of a node.",
          "node",
          "version",
          "boot_id",
          "kernel");
  static final MetricDefinition NODE_CONDITION =
      MetricDefinition.gauge(
          "node",
          "holdfast_node_condition",
          "1 for the present status of each condition of the node.",
          "node",
          "type",
          "status");
  static final MetricDefinition DISK_SIZE =
      MetricDefinition.gauge(
          "disk",
          "holdfast_disk_size_bytes",
          "Size of the file system of a disk.",
          "node",
          "disk",
          "filesystem");
  static final MetricDefinition DISK_AVAILABLE =
      MetricDefinition.gauge(
          "disk",
          "holdfast_disk_available_bytes",
          "Free space of the file system of a disk.",
          "node",
          "disk",
          "filesystem");
  static final MetricDefinition DISK_RESERVED =
      MetricDefinition.gauge(
          "disk",
          "holdfast_disk_reserved_bytes",
          "Space of a disk that replicas shall not use.",
          "node",
          "disk",
          "filesystem");
  static final MetricDefinition DISK_CONDITION =
      MetricDefinition.gauge(
          "disk",
          "holdfast_disk_condition",
          "1 for the present status of each condition of a disk.",
          "node",
          "disk",
          "type",
          "status");
  static final MetricDefinition CERTIFICATE =
      MetricDefinition.gauge(
          "node",
          "holdfast_certificate_expiry_timestamp_seconds",
          "End of a certificate of the node: server, authority.",
          "name");
  static final MetricDefinition BUNDLE_INFO =
      MetricDefinition.info(
          "bundle",
          "holdfast_bundle_info",
          "Version and state of each bundle of Holdfast and of plugins.",
          "bundle",
          "version",
          "state");
  static final MetricDefinition PLUGIN_TROUBLE =
      MetricDefinition.gauge(
          "bundle",
          "holdfast_plugin_trouble",
          "Faults of bundles that last, by kind: hangs, fails, duplicate_name.",
          "bundle",
          "kind");
  static final MetricDefinition SESSIONS =
      MetricDefinition.gauge(
          "frontend",
          "holdfast_frontend_sessions",
          "Connections of clients to a frontend, also those whose session moves between bundles.",
          "frontend");

  @Override
  public List<MetricDefinition> definitions() {
    return List.of(
        NODE_INFO,
        NODE_CONDITION,
        DISK_SIZE,
        DISK_AVAILABLE,
        DISK_RESERVED,
        DISK_CONDITION,
        CERTIFICATE,
        BUNDLE_INFO,
        PLUGIN_TROUBLE,
        SESSIONS);
  }
}
