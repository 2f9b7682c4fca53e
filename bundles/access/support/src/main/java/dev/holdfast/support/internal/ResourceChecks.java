package dev.holdfast.support.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.health.ClusterCheck;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.store.ResourceStore;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The checks of the resources in the store. Thread-safe. */
final class ResourceChecks implements ClusterCheck {
  private final ResourceStore store;
  private final KindCatalogue kinds;
  private final InstantSource clock;

  ResourceChecks(ResourceStore store, KindCatalogue kinds, InstantSource clock) {
    this.store = store;
    this.kinds = kinds;
    this.clock = clock;
  }

  @Override
  public List<HealthFinding> findings() {
    try {
      ClusterView view = ClusterView.read(store, kinds, clock.instant());
      return Stream.of(
              VolumeChecks.findings(view),
              DeletedVolumeChecks.findings(view),
              NodeChecks.findings(view),
              BackupChecks.findings(view))
          .flatMap(List::stream)
          .toList();
    } catch (StorageException e) {
      return List.of(
          new HealthFinding(
              "STORE_AWAY",
              HealthSeverity.ERROR,
              List.of("store/cluster"),
              Optional.empty(),
              "the store of the cluster does not answer: "
                  + e.getMessage().replaceAll("\\s+", " ")
                  + "; volumes that are attached continue to serve",
              "start the node or the service that has the store; holdfast logs shows when it "
                  + "answers"));
    }
  }
}
