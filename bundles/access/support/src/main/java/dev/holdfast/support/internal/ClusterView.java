package dev.holdfast.support.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.util.List;

/**
 * Snapshot of the resources of a cluster.
 *
 * @param now the time of this node
 * @param volumes all volumes
 * @param deletedVolumes all deleted volumes; empty if the kind is not installed
 * @param attachments all attachments
 * @param replicas all replicas
 * @param nodes all nodes
 * @param settings the stored settings
 * @param backups all backups; empty if the kind is not installed, also for the following ones
 * @param targets backup targets
 * @param jobs recurring jobs
 */
record ClusterView(
    Instant now,
    List<Volume> volumes,
    List<DeletedVolume> deletedVolumes,
    List<VolumeAttachment> attachments,
    List<Replica> replicas,
    List<Node> nodes,
    List<Setting> settings,
    List<Backup> backups,
    List<BackupTarget> targets,
    List<RecurringJob> jobs) {

  static ClusterView read(ResourceStore store, KindCatalogue kinds, Instant now)
      throws StorageException {
    return new ClusterView(
        now,
        all(store, kinds, Volume.KIND),
        all(store, kinds, DeletedVolume.KIND),
        all(store, kinds, VolumeAttachment.KIND),
        all(store, kinds, Replica.KIND),
        all(store, kinds, Node.KIND),
        all(store, kinds, Setting.KIND),
        all(store, kinds, Backup.KIND),
        all(store, kinds, BackupTarget.KIND),
        all(store, kinds, RecurringJob.KIND));
  }

  private static <R extends Resource<R>> List<R> all(
      ResourceStore store, KindCatalogue kinds, ResourceKind<R> kind) throws StorageException {
    return kinds.named(kind.kind()).isPresent()
        ? store.list(kind, LabelSelector.ALL).items()
        : List.of();
  }
}
