package dev.holdfast.backup.internal.system;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupBackingImageStatus;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.WorkloadObjects;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The files of a system backup: resources as JSON, without fields that this cluster set. A volume
 * names its backup as the source of its content, and an image a backup of its bytes.
 */
final class SystemContent {
  private static final int MOST_FAILURES = 20;

  /** Prefix of annotations in which this cluster records its own work. */
  private static final String OWN_ANNOTATIONS = ResourceKind.GROUP + "/";

  private final VolumeBackupChoice choice;
  private final ImageBackupChoice images;
  private final ResourceJson json = new ResourceJson();
  private final Map<String, String> files = new LinkedHashMap<>();
  private final List<String> failures = new ArrayList<>();
  private final Set<String> selected = new HashSet<>();
  private final Set<String> left = new HashSet<>();
  private int volumes;

  SystemContent(VolumeBackupChoice choice, ImageBackupChoice images) {
    this.choice = choice;
    this.images = images;
  }

  /**
   * Reads all resources that are saved.
   *
   * @throws StorageException of the store
   */
  void read(ResourceStore store, KindCatalogue kinds) throws StorageException {
    for (ResourceKind<?> kind : SavedKinds.of(kinds)) {
      readKind(store, kind);
    }
  }

  /**
   * Reads the objects by which workloads use the saved volumes.
   *
   * @throws StorageException of the store
   */
  void readWorkloads(WorkloadObjects objects) throws StorageException {
    try {
      files.putAll(objects.read(selected::contains));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.FORBIDDEN) {
        throw e;
      }
      failures.add(String.valueOf(e.getMessage()));
    }
  }

  private <R extends Resource<R>> void readKind(ResourceStore store, ResourceKind<R> kind)
      throws StorageException {
    for (R resource : store.list(kind, LabelSelector.ALL).items()) {
      if (!resource.isBeingDeleted() && isOfUse(resource) && isSelected(resource)) {
        ObjectNode tree = json.tree(saved(resource.withMetadata(kept(resource.metadata()))));
        tree.remove("status");
        files.put(kind.plural() + "/" + resource.name() + ".json", json.write(tree));
      }
    }
  }

  /**
   * Returns whether a resource is worth saving. Each cluster creates settings without a value
   * itself.
   */
  private static boolean isOfUse(Resource<?> resource) {
    return !(resource instanceof Setting setting) || !setting.spec().value().isEmpty();
  }

  /** Returns whether a resource is saved. A share is saved with the volume of its name. */
  private boolean isSelected(Resource<?> resource) {
    if (resource instanceof Volume volume) {
      (choice.isSelected(volume) ? selected : left).add(volume.name());
      return selected.contains(volume.name());
    }
    return !resource.resourceKind().kind().equals(SavedKinds.SHARE)
        || !left.contains(resource.name());
  }

  private static ObjectMeta kept(ObjectMeta metadata) {
    return ObjectMeta.named(metadata.name())
        .withLabels(metadata.labels())
        .withAnnotations(
            metadata.annotations().entrySet().stream()
                .filter(annotation -> !annotation.getKey().startsWith(OWN_ANNOTATIONS))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  private Resource<?> saved(Resource<?> resource) {
    if (resource instanceof Volume volume) {
      return saved(volume);
    } else if (resource instanceof BackingImage image) {
      return saved(image);
    }
    return resource;
  }

  /**
   * Names the backup as the source of the image's bytes, because the image's own source may be
   * gone.
   */
  private BackingImage saved(BackingImage image) {
    BackingImageSpec spec = image.spec().withDiskFileSpecMap(Map.of()).withCleanupDisks(List.of());
    Optional<BackupBackingImageStatus> backup =
        images.complete(image).map(BackupBackingImage::status);
    if (backup.isPresent()) {
      return image.withSpec(
          spec.withSourceType(BackupBackingImage.SOURCE_TYPE)
              .withSourceParameters(Map.of(BackupBackingImage.URL_PARAMETER, backup.get().url()))
              .withChecksum(backup.get().checksum()));
    }
    if (!ItemRestore.hasOwnBytes(spec)) {
      failures.add("image " + image.name() + ": no backup: " + images.whyNone(image));
    }
    return image.withSpec(spec);
  }

  private Volume saved(Volume volume) {
    VolumeSpec spec =
        volume
            .spec()
            .withNodeID("")
            .withMigrationNodeID("")
            .withServingNodeIDs(List.of())
            .withLastAttachedBy("")
            .withDisableFrontend(false)
            .withSalvage(SalvageRequest.NONE)
            .withDeleteWhenDetached(false)
            .withCloneSource(Optional.empty())
            .withBackingImage("")
            .withRestoreMode(RestoreMode.WHOLE)
            .withFromBackup("");
    Optional<String> address = choice.newest(volume).map(backup -> backup.status().url());
    if (address.isEmpty() && volume.awaitsContent() && !volume.spec().fromBackup().isEmpty()) {
      address = Optional.of(volume.spec().fromBackup());
    }
    if (address.isEmpty()) {
      failures.add("volume " + volume.name() + ": no backup: " + choice.whyNone(volume));
      return volume.withSpec(spec);
    }
    volumes++;
    return volume.withSpec(spec.withFromBackup(address.get()));
  }

  /** Returns the texts of the resources by the names of their files. */
  Map<String, String> files() {
    return files;
  }

  /** Returns the number of volumes that have a backup. */
  int volumes() {
    return volumes;
  }

  /** Returns the volumes and images without a backup and the cause, at most 20. */
  List<String> failures() {
    return failures.stream().limit(MOST_FAILURES).toList();
  }
}
