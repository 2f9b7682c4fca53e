package dev.holdfast.metrics.runtime.internal.resources;

import dev.holdfast.error.StorageException;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reports the resources of the cluster on the node with the lease of the volume controller, so that
 * a sum over all nodes counts each resource once. Reads the store at the scrape.
 */
final class ClusterMetrics implements MetricSource {
  /** Lease of the volume controller. */
  static final String LEASE = "reconciler-volume";

  private final ResourceStore store;
  private final KindCatalogue kinds;
  private final String node;

  ClusterMetrics(ResourceStore store, KindCatalogue kinds, String node) {
    this.store = store;
    this.kinds = kinds;
    this.node = node;
  }

  @Override
  public List<MetricDefinition> definitions() {
    return new ClusterSeries().definitions();
  }

  @Override
  public void collect(MetricSink sink) throws StorageException {
    boolean holds =
        store
            .get(Lease.KIND, LEASE)
            .filter(lease -> lease.spec().holderIdentity().equals(node))
            .isPresent();
    if (!holds) {
      return;
    }
    new VolumeSamples(sink).report(this::all);
    tickets(sink);
    backups(sink);
    for (BackingImage image : all(BackingImage.KIND)) {
      Map<String, Integer> copies = new HashMap<>();
      image
          .status()
          .diskFileStatusMap()
          .values()
          .forEach(file -> copies.merge(file.state().toString(), 1, Integer::sum));
      copies.forEach(
          (state, count) -> sink.value(ClusterSeries.IMAGE_COPIES, count, image.name(), state));
    }
  }

  private <R extends Resource<R>> List<R> all(ResourceKind<R> kind) throws StorageException {
    return kinds.named(kind.kind()).isPresent()
        ? store.list(kind, LabelSelector.ALL).items()
        : List.of();
  }

  private void tickets(MetricSink sink) throws StorageException {
    Map<List<String>, Integer> counts = new HashMap<>();
    for (VolumeAttachment attachment : all(VolumeAttachment.KIND)) {
      attachment
          .spec()
          .attachmentTickets()
          .values()
          .forEach(
              ticket -> {
                Optional<AttachmentTicketStatus> status =
                    Optional.ofNullable(
                        attachment.status().attachmentTicketStatuses().get(ticket.id()));
                boolean satisfied = status.filter(AttachmentTicketStatus::satisfied).isPresent();
                String reason =
                    status
                        .flatMap(
                            s ->
                                Condition.find(
                                    s.conditions(), AttachmentTicketStatus.SATISFIED_CONDITION))
                        .map(Condition::reason)
                        .orElse("");
                counts.merge(
                    List.of(ticket.type(), String.valueOf(satisfied), reason), 1, Integer::sum);
              });
    }
    counts.forEach(
        (labels, count) -> sink.value(ClusterSeries.TICKETS, count, labels.toArray(String[]::new)));
  }

  private void backups(MetricSink sink) throws StorageException {
    Map<List<String>, Instant> last = new HashMap<>();
    Map<List<String>, Integer> counts = new HashMap<>();
    for (Backup backup : all(Backup.KIND)) {
      String target = backup.spec().backupTargetName();
      BackupState state = backup.status().state();
      counts.merge(
          List.of(target, state == BackupState.NONE ? "Pending" : state.toString()),
          1,
          Integer::sum);
      backup
          .status()
          .backupCreatedAt()
          .filter(time -> state == BackupState.COMPLETED)
          .ifPresent(
              time ->
                  last.merge(
                      List.of(backup.spec().volume(), target),
                      time,
                      (one, other) -> one.isAfter(other) ? one : other));
    }
    counts.forEach(
        (labels, count) -> sink.value(ClusterSeries.BACKUPS, count, labels.toArray(String[]::new)));
    last.forEach(
        (labels, time) ->
            sink.value(
                ClusterSeries.BACKUP_LAST,
                (double) time.getEpochSecond(),
                labels.toArray(String[]::new)));
  }
}
