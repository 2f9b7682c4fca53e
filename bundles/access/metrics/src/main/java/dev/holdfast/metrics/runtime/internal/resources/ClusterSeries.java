package dev.holdfast.metrics.runtime.internal.resources;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricDefinitions;
import java.util.List;

/** The series of resources, which the holder of the lease reports. */
public final class ClusterSeries implements MetricDefinitions {
  static final MetricDefinition VOLUME_INFO =
      MetricDefinition.info(
          "volume",
          "holdfast_volume_info",
          "Engine, frontend, access mode and node of a volume, for joins.",
          "volume",
          "engine",
          "frontend",
          "access_mode",
          "node");
  static final MetricDefinition VOLUME_SIZE =
      MetricDefinition.gauge("volume", "holdfast_volume_size_bytes", "Nominal size.", "volume");
  static final MetricDefinition VOLUME_ALLOCATED =
      MetricDefinition.gauge(
          "volume",
          "holdfast_volume_allocated_bytes",
          "Space that all layers of one replica use.",
          "volume");
  static final MetricDefinition VOLUME_STATE =
      MetricDefinition.gauge(
          "volume",
          "holdfast_volume_state",
          "1 for the present state, 0 for the others.",
          "volume",
          "state");
  static final MetricDefinition VOLUME_ROBUSTNESS =
      MetricDefinition.gauge(
          "volume",
          "holdfast_volume_robustness",
          "1 for the present robustness, 0 for the others.",
          "volume",
          "robustness");
  static final MetricDefinition REPLICAS_WANTED =
      MetricDefinition.gauge(
          "volume",
          "holdfast_volume_replicas_wanted",
          "Replicas that the volume shall have.",
          "volume");
  static final MetricDefinition REPLICAS_CURRENT =
      MetricDefinition.gauge(
          "volume", "holdfast_volume_replicas_current", "Replicas that have all data.", "volume");
  static final MetricDefinition VOLUME_CONDITION =
      MetricDefinition.gauge(
          "volume",
          "holdfast_volume_condition",
          "1 for the present status of each condition.",
          "volume",
          "type",
          "status",
          "reason");
  static final MetricDefinition DEGRADED_SINCE =
      MetricDefinition.gauge(
          "volume",
          "holdfast_volume_degraded_since_timestamp_seconds",
          "When a degraded volume lost its redundancy; absent for others.",
          "volume");
  static final MetricDefinition DELETED_VOLUME_ALLOCATED =
      MetricDefinition.gauge(
          "volume",
          "holdfast_deleted_volume_allocated_bytes",
          "Space that the kept content of a deleted volume uses on all disks.",
          "volume");
  static final MetricDefinition DELETED_VOLUME_PURGE =
      MetricDefinition.gauge(
          "volume",
          "holdfast_deleted_volume_purge_timestamp_seconds",
          "Time from which the content of a deleted volume is removed.",
          "volume");
  static final MetricDefinition REPLICA_INFO =
      MetricDefinition.info(
          "replica",
          "holdfast_replica_info",
          "Volume, node and disk of a replica, for joins.",
          "replica",
          "volume",
          "node",
          "disk");
  static final MetricDefinition REPLICA_MODE =
      MetricDefinition.gauge(
          "replica",
          "holdfast_replica_mode",
          "1 for the present mode of a replica, 0 for the others.",
          "replica",
          "mode");
  static final MetricDefinition REBUILD_COPIED =
      MetricDefinition.counter(
          "rebuild",
          "holdfast_rebuild_copied_bytes_total",
          "Bytes that the present rebuild of a replica has copied.",
          "volume",
          "replica");
  static final MetricDefinition REBUILD_REMAINING =
      MetricDefinition.gauge(
          "rebuild",
          "holdfast_rebuild_remaining_bytes",
          "Bytes that the present rebuild of a replica still has to copy.",
          "volume",
          "replica");
  static final MetricDefinition SNAPSHOT_SIZE =
      MetricDefinition.gauge(
          "snapshot",
          "holdfast_snapshot_size_bytes",
          "Space that the layer of a snapshot uses in one replica.",
          "volume",
          "snapshot");
  static final MetricDefinition SCRUB_READ =
      MetricDefinition.counter(
          "scrub",
          "holdfast_scrub_read_bytes_total",
          "Bytes that the last scrub of a snapshot has read.",
          "volume",
          "snapshot");
  static final MetricDefinition SCRUB_DAMAGED =
      MetricDefinition.gauge(
          "scrub",
          "holdfast_scrub_damaged_bytes",
          "Bytes that the last scrub of a snapshot found damaged without a copy to repair them.",
          "volume",
          "snapshot");
  static final MetricDefinition SCRUB_REPAIRED =
      MetricDefinition.counter(
          "scrub",
          "holdfast_scrub_repaired_bytes_total",
          "Bytes that the last scrub of a snapshot repaired.",
          "volume",
          "snapshot");
  static final MetricDefinition TICKETS =
      MetricDefinition.gauge(
          "attachment",
          "holdfast_tickets",
          "Attachment tickets by type, satisfaction and reason.",
          "type",
          "satisfied",
          "reason");
  static final MetricDefinition BACKUP_LAST =
      MetricDefinition.gauge(
          "backup",
          "holdfast_backup_last_success_timestamp_seconds",
          "Time of the last successful backup of a volume on a target.",
          "volume",
          "target");
  static final MetricDefinition BACKUPS =
      MetricDefinition.gauge(
          "backup", "holdfast_backups", "Backups by target and state.", "target", "state");
  static final MetricDefinition IMAGE_COPIES =
      MetricDefinition.gauge(
          "image",
          "holdfast_backing_image_copies",
          "Copies of a backing image by state.",
          "image",
          "state");

  @Override
  public List<MetricDefinition> definitions() {
    return List.of(
        VOLUME_INFO,
        VOLUME_SIZE,
        VOLUME_ALLOCATED,
        VOLUME_STATE,
        VOLUME_ROBUSTNESS,
        REPLICAS_WANTED,
        REPLICAS_CURRENT,
        VOLUME_CONDITION,
        DEGRADED_SINCE,
        DELETED_VOLUME_ALLOCATED,
        DELETED_VOLUME_PURGE,
        REPLICA_INFO,
        REPLICA_MODE,
        REBUILD_COPIED,
        REBUILD_REMAINING,
        SNAPSHOT_SIZE,
        SCRUB_READ,
        SCRUB_DAMAGED,
        SCRUB_REPAIRED,
        TICKETS,
        BACKUP_LAST,
        BACKUPS,
        IMAGE_COPIES);
  }
}
