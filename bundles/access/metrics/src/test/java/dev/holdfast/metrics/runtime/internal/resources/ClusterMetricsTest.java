package dev.holdfast.metrics.runtime.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.metrics.BucketCounts;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.memory.MemoryResourceStore;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.ReplaceablePart;
import dev.holdfast.upgrade.ServingBundle;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Series of resources: reported once in the cluster, and with the values of the store. */
class ClusterMetricsTest {
  private final MemoryResourceStore store = new MemoryResourceStore();

  private static Map<String, Double> scrape(MetricSource source) throws Exception {
    Map<String, Double> values = new TreeMap<>();
    source.collect(
        new MetricSink() {
          @Override
          public void value(MetricDefinition definition, double value, String... labels) {
            assertThat(source.definitions()).contains(definition);
            assertThat(labels).hasSameSizeAs(definition.labels());
            values.put(definition.name() + List.of(labels), value);
          }

          @Override
          public void histogram(
              MetricDefinition definition, BucketCounts counts, String... labels) {
            throw new AssertionError(definition.name());
          }

          @Override
          public void info(MetricDefinition definition, String... labels) {
            value(definition, 1, labels);
          }
        });
    return values;
  }

  private void lease(String holder) throws Exception {
    Lease unused =
        store.create(Lease.of(ClusterMetrics.LEASE, LeaseSpec.EMPTY.withHolderIdentity(holder)));
  }

  @Test
  void onlyTheHolderOfTheLeaseReportsVolumes() throws Exception {
    Volume created =
        store.create(
            Volume.of(
                "films", VolumeSpec.EMPTY.withSize(new Quantity(1 << 20)).withNumberOfReplicas(2)));
    Volume unused =
        store.updateStatus(
            created.withStatus(
                created
                    .status()
                    .withState(VolumeState.ATTACHED)
                    .withRobustness(Robustness.DEGRADED)
                    .withLastDegradedAt(Optional.of(Instant.ofEpochSecond(1234)))));
    ClusterMetrics metrics = new ClusterMetrics(store, KindCatalogue.load(), "node-1");
    assertThat(scrape(metrics)).isEmpty();

    lease("node-1");
    assertThat(scrape(metrics))
        .containsEntry("holdfast_volume_size_bytes[films]", (double) (1 << 20))
        .containsEntry("holdfast_volume_state[films, attached]", 1.0)
        .containsEntry("holdfast_volume_state[films, detached]", 0.0)
        .containsEntry("holdfast_volume_robustness[films, degraded]", 1.0)
        .containsEntry("holdfast_volume_degraded_since_timestamp_seconds[films]", 1234.0)
        .containsEntry("holdfast_volume_replicas_wanted[films]", 2.0)
        .containsEntry("holdfast_volume_replicas_current[films]", 0.0)
        .containsEntry("holdfast_volume_info[films, sparse, nbd, rwo, ]", 1.0);
    assertThat(scrape(new ClusterMetrics(store, KindCatalogue.load(), "node-2"))).isEmpty();
  }

  @Test
  void spaceOfADeletedVolumeIsReportedUntilItsContentIsRemoved() throws Exception {
    lease("node-1");
    DeletedVolume deleted =
        store.create(
            DeletedVolume.of(
                "films",
                DeletedVolumeSpec.EMPTY
                    .withVolumeUID("gone")
                    .withActualSize(new Quantity(1 << 20))
                    .withDeletedAt(Optional.of(Instant.ofEpochSecond(1000)))
                    .withPurgeAt(Optional.of(Instant.ofEpochSecond(1234)))));
    for (String name : List.of("films-r-1", "films-r-2")) {
      Replica replica =
          Replica.of(name, ReplicaSpec.EMPTY.withVolume("films").withDataDirectoryName(name));
      Replica unused =
          store.create(
              replica.withMetadata(
                  replica
                      .metadata()
                      .withOwnerReferences(List.of(OwnerReference.controller(deleted)))));
    }
    ClusterMetrics metrics = new ClusterMetrics(store, KindCatalogue.load(), "node-1");
    assertThat(scrape(metrics))
        .containsEntry("holdfast_deleted_volume_allocated_bytes[films]", 2.0 * (1 << 20))
        .containsEntry("holdfast_deleted_volume_purge_timestamp_seconds[films]", 1234.0);
    store.update(deleted.withMetadata(deleted.metadata().minusFinalizer(DeletedVolume.FINALIZER)));
    store.delete(DeletedVolume.KIND, "films", "");
    assertThat(scrape(metrics).keySet()).noneMatch(name -> name.contains("deleted_volume"));
  }

  @Test
  void nodeReportsItsOwnDisksWithTheirFilesystem() throws Exception {
    Node created = store.create(Node.of("node-1", NodeSpec.EMPTY));
    DiskStatus disk =
        DiskStatus.EMPTY
            .withStorageMaximum(new Quantity(1000))
            .withStorageAvailable(new Quantity(400))
            .withFilesystem("uuid-1")
            .withConditions(
                List.of(
                    new Condition(
                        Condition.READY, Condition.Status.TRUE, "Any", "", Instant.EPOCH)));
    Node unused =
        store.updateStatus(created.withStatus(created.status().withDiskStatus(Map.of("d1", disk))));
    assertThat(scrape(new NodeMetrics(store, "node-1")))
        .containsEntry("holdfast_disk_size_bytes[node-1, d1, uuid-1]", 1000.0)
        .containsEntry("holdfast_disk_available_bytes[node-1, d1, uuid-1]", 400.0)
        .containsEntry("holdfast_disk_condition[node-1, d1, Ready, True]", 1.0);
    assertThat(scrape(new NodeMetrics(store, "node-2"))).isEmpty();
  }

  @Test
  void processReportsFaultsSessionsAndCertificates(@TempDir Path directory) throws Exception {
    Path certificate =
        TlsDirectory.prepare(directory, List.of("localhost"), Clock.systemUTC()).certificate();
    BundleTrouble trouble =
        new BundleTrouble(BundleTrouble.Kind.HANGS, Instant.EPOCH, 7, "raid 1.0", "", "hangs");
    ReplaceablePart nbd =
        new ReplaceablePart(
            "nbd", List.of(new ServingBundle(1, "nbd", "1", 2)), 1, List.of(), List.of());
    Map<String, Double> values =
        scrape(
            new ProcessMetrics(
                List::of,
                () -> List.of(trouble, trouble),
                () -> List.of(nbd),
                Map.of("server", certificate)));
    assertThat(values)
        .containsEntry("holdfast_plugin_trouble[raid 1.0, hangs]", 2.0)
        .containsEntry("holdfast_frontend_sessions[nbd]", 3.0);
    assertThat(values.get("holdfast_certificate_expiry_timestamp_seconds[server]"))
        .isGreaterThan((double) Instant.now().getEpochSecond());
  }
}
