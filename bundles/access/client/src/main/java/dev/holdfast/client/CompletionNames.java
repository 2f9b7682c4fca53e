package dev.holdfast.client;

import dev.holdfast.access.AccessToken;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.List;

/** Names for the completion in a shell. */
public final class CompletionNames {
  private final ResourceStore store;

  /** Completes with the objects of a store. */
  public CompletionNames(ResourceStore store) {
    this.store = store;
  }

  /** Returns the names of all volumes. */
  public List<String> volumes() throws StorageException {
    return store.list(Volume.KIND, LabelSelector.ALL).items().stream().map(Volume::name).toList();
  }

  /** Returns the names of all retained deleted volumes. */
  public List<String> deletedVolumes() throws StorageException {
    return store.list(DeletedVolume.KIND, LabelSelector.ALL).items().stream()
        .map(DeletedVolume::name)
        .toList();
  }

  /** Returns the names in their volumes of all snapshots. */
  public List<String> snapshots() throws StorageException {
    return store.list(Snapshot.KIND, LabelSelector.ALL).items().stream()
        .map(Snapshot::nameInVolume)
        .distinct()
        .sorted()
        .toList();
  }

  /** Returns the names of all backing images. */
  public List<String> images() throws StorageException {
    return store.list(BackingImage.KIND, LabelSelector.ALL).items().stream()
        .map(BackingImage::name)
        .toList();
  }

  /** Returns the names of all backups. */
  public List<String> backups() throws StorageException {
    return store.list(Backup.KIND, LabelSelector.ALL).items().stream().map(Backup::name).toList();
  }

  /** Returns the names of all recurring jobs. */
  public List<String> recurringJobs() throws StorageException {
    return store.list(RecurringJob.KIND, LabelSelector.ALL).items().stream()
        .map(RecurringJob::name)
        .toList();
  }

  /** Returns the names of all access tokens. */
  public List<String> tokens() throws StorageException {
    return store.list(AccessToken.KIND, LabelSelector.ALL).items().stream()
        .map(AccessToken::name)
        .toList();
  }

  /** Returns the names of all settings. */
  public List<String> settings() throws StorageException {
    return store.list(Setting.KIND, LabelSelector.ALL).items().stream().map(Setting::name).toList();
  }

  /** Returns the names of all nodes. */
  public List<String> nodes() throws StorageException {
    return store.list(Node.KIND, LabelSelector.ALL).items().stream().map(Node::name).toList();
  }

  /** Returns the identifiers of all disks. */
  public List<String> disks() throws StorageException {
    return store.list(Node.KIND, LabelSelector.ALL).items().stream()
        .flatMap(node -> node.spec().disks().keySet().stream())
        .distinct()
        .sorted()
        .toList();
  }
}
