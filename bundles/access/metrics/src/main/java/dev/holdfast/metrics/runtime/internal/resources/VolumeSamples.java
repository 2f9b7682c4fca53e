package dev.holdfast.metrics.runtime.internal.resources;

import dev.holdfast.error.StorageException;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.RebuildState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Values of volumes, their replicas, engines and snapshots. For one scrape. */
final class VolumeSamples {
  private final MetricSink sink;

  VolumeSamples(MetricSink sink) {
    this.sink = sink;
  }

  /** Reads all resources of a kind. */
  interface Reader {
    <R extends Resource<R>> List<R> all(ResourceKind<R> kind) throws StorageException;
  }

  void report(Reader reader) throws StorageException {
    Map<String, Integer> current = new HashMap<>();
    List<Replica> replicas = reader.all(Replica.KIND);
    for (Replica replica : replicas) {
      replica(replica);
      if (replica.status().mode() == ReplicaMode.RW && !replica.spec().witness()) {
        current.merge(replica.spec().volume(), 1, Integer::sum);
      }
    }
    for (Volume volume : reader.all(Volume.KIND)) {
      volume(volume, current.getOrDefault(volume.name(), 0));
    }
    for (DeletedVolume deleted : reader.all(DeletedVolume.KIND)) {
      deleted(deleted, replicas);
    }
    for (Engine engine : reader.all(Engine.KIND)) {
      rebuilds(engine);
    }
    for (Snapshot snapshot : reader.all(Snapshot.KIND)) {
      snapshot(snapshot);
    }
  }

  private void volume(Volume volume, int current) {
    String name = volume.name();
    VolumeStatus status = volume.status();
    sink.info(
        ClusterSeries.VOLUME_INFO,
        name,
        volume.spec().dataEngine(),
        volume.spec().frontend(),
        volume.spec().accessMode().toString(),
        status.currentNodeID());
    bytes(ClusterSeries.VOLUME_SIZE, volume.spec().size().bytes(), name);
    bytes(ClusterSeries.VOLUME_ALLOCATED, status.actualSize().bytes(), name);
    for (VolumeState state : VolumeState.values()) {
      choice(ClusterSeries.VOLUME_STATE, state == status.state(), name, state.toString());
    }
    for (Robustness value : Robustness.values()) {
      choice(ClusterSeries.VOLUME_ROBUSTNESS, value == status.robustness(), name, value.toString());
    }
    sink.value(ClusterSeries.REPLICAS_WANTED, volume.spec().numberOfReplicas(), name);
    sink.value(ClusterSeries.REPLICAS_CURRENT, current, name);
    status
        .conditions()
        .forEach(
            c ->
                sink.value(
                    ClusterSeries.VOLUME_CONDITION,
                    1,
                    name,
                    c.type(),
                    c.status().toString(),
                    c.reason()));
    if (status.robustness() == Robustness.DEGRADED) {
      status
          .lastDegradedAt()
          .ifPresent(
              since ->
                  sink.value(ClusterSeries.DEGRADED_SINCE, (double) since.getEpochSecond(), name));
    }
  }

  private void deleted(DeletedVolume deleted, List<Replica> replicas) {
    bytes(
        ClusterSeries.DELETED_VOLUME_ALLOCATED, deleted.spaceOn(replicas).bytes(), deleted.name());
    deleted
        .spec()
        .purgeAt()
        .ifPresent(
            time ->
                sink.value(
                    ClusterSeries.DELETED_VOLUME_PURGE,
                    (double) time.getEpochSecond(),
                    deleted.name()));
  }

  private void replica(Replica replica) {
    sink.info(
        ClusterSeries.REPLICA_INFO,
        replica.name(),
        replica.spec().volume(),
        replica.spec().nodeID(),
        replica.spec().diskID());
    for (ReplicaMode mode : ReplicaMode.values()) {
      choice(
          ClusterSeries.REPLICA_MODE,
          mode == replica.status().mode(),
          replica.name(),
          mode.toString());
    }
  }

  private void rebuilds(Engine engine) {
    engine
        .status()
        .rebuildStatus()
        .forEach(
            (replica, rebuild) -> {
              if (rebuild.state() == RebuildState.IN_PROGRESS) {
                String volume = engine.spec().volume();
                long copied = rebuild.copied().bytes();
                bytes(ClusterSeries.REBUILD_COPIED, copied, volume, replica);
                bytes(
                    ClusterSeries.REBUILD_REMAINING,
                    Math.max(0, rebuild.total().bytes() - copied),
                    volume,
                    replica);
              }
            });
  }

  private void snapshot(Snapshot snapshot) {
    String volume = snapshot.spec().volume();
    bytes(ClusterSeries.SNAPSHOT_SIZE, snapshot.status().size().bytes(), volume, snapshot.name());
    var scrub = snapshot.status().scrubStatus();
    if (scrub.total().bytes() > 0) {
      bytes(ClusterSeries.SCRUB_READ, scrub.done().bytes(), volume, snapshot.name());
      bytes(ClusterSeries.SCRUB_DAMAGED, scrub.damaged().bytes(), volume, snapshot.name());
      bytes(ClusterSeries.SCRUB_REPAIRED, scrub.repaired().bytes(), volume, snapshot.name());
    }
  }

  private void bytes(MetricDefinition definition, long value, String... labels) {
    sink.value(definition, (double) value, labels);
  }

  private void choice(MetricDefinition definition, boolean present, String... labels) {
    sink.value(definition, present ? 1 : 0, labels);
  }
}
