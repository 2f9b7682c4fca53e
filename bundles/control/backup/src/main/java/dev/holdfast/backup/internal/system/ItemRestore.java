package dev.holdfast.backup.internal.system;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.backup.internal.system.ItemOutcome.Result;
import dev.holdfast.backupstore.system.SystemBackupFile;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.BackupAddresses;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.RestoredVolumes;
import dev.holdfast.resource.backup.SystemRestore;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Restores single items of a system backup. A restore may be repeated, because an annotation marks
 * the resources that it created.
 */
class ItemRestore {
  private static final Set<String> SOURCES =
      Set.of(ImageBackupChoice.DOWNLOAD, BackupBackingImage.SOURCE_TYPE);

  private final SystemRestore restore;
  private final ResourceStore store;
  private final RestoringCluster cluster;
  private final ResourceJson json = new ResourceJson();
  private final String savedAddress;
  private final String address;

  /** Creates the object that restores the items of a file. */
  interface Factory {
    /** Returns an object for one attempt. */
    ItemRestore of(
        SystemRestore restore,
        SystemBackupFile file,
        BackupTarget target,
        RestoringCluster cluster);
  }

  ItemRestore(
      SystemRestore restore, SystemBackupFile file, BackupTarget target, RestoringCluster cluster) {
    this.restore = restore;
    this.cluster = cluster;
    this.store = cluster.store();
    this.savedAddress = file.targetAddress();
    this.address = target.spec().backupTargetURL();
  }

  /**
   * Restores one item.
   *
   * @throws StorageException FORBIDDEN if this node may not write the item; a failure of the store,
   *     if a repetition may succeed
   */
  ItemOutcome restore(String file, String text) throws StorageException {
    JsonNode tree;
    try {
      tree = json.parse(text);
    } catch (StorageException e) {
      return ItemOutcome.failed("file", file, String.valueOf(e.getMessage()));
    }
    String kind = tree.path("kind").asText();
    if (!SavedKinds.isSaved(kind)) {
      return ItemOutcome.of(kind, Result.SKIPPED);
    }
    if (SavedKinds.isOfWorkloads(kind)) {
      return restoredObject(kind, tree.path("metadata").path("name").asText(file), text);
    }
    Optional<ResourceKind<?>> known = cluster.kinds().named(kind);
    return known.isEmpty()
        ? ItemOutcome.failed(kind, file, "no installed bundle has this kind")
        : decoded(known.get(), file, tree);
  }

  /** Restores an object of the orchestrator. A cluster without an orchestrator skips it. */
  private ItemOutcome restoredObject(String kind, String name, String text)
      throws StorageException {
    if (!cluster.objects().kinds().contains(kind)) {
      return ItemOutcome.of(kind, Result.SKIPPED);
    }
    Map<String, String> mark = Map.of(SystemRestore.ANNOTATION, restore.metadata().uid());
    try {
      boolean ours =
          cluster
              .objects()
              .create(text, mark, volume -> store.get(Volume.KIND, volume).isPresent());
      return ItemOutcome.of(kind, ours ? Result.RESTORED : Result.EXISTING);
    } catch (StorageException e) {
      if (e.code() == ErrorCode.INVALID) {
        return ItemOutcome.failed(kind, name, String.valueOf(e.getMessage()));
      }
      throw e;
    }
  }

  private <R extends Resource<R>> ItemOutcome decoded(
      ResourceKind<R> kind, String file, JsonNode tree) throws StorageException {
    String name = tree.path("metadata").path("name").asText(file);
    try {
      R resource = json.decode(kind, tree, ResourceJson.Mode.LENIENT);
      return restored(resource.withMetadata(marked(resource.metadata())));
    } catch (StorageException e) {
      return switch (e.code()) {
        case INVALID, UNSUPPORTED, NOT_FOUND, ALREADY_EXISTS ->
            ItemOutcome.failed(kind.kind(), name, String.valueOf(e.getMessage()));
        case CONFLICT, NO_SPACE, BUSY, UNREACHABLE, TIMEOUT, EXPIRED, FORBIDDEN, IO, INTERNAL ->
            throw e;
      };
    }
  }

  private ObjectMeta marked(ObjectMeta metadata) {
    Map<String, String> annotations = new HashMap<>(metadata.annotations());
    annotations.put(SystemRestore.ANNOTATION, restore.metadata().uid());
    return ObjectMeta.named(metadata.name())
        .withLabels(metadata.labels())
        .withAnnotations(annotations);
  }

  private <R extends Resource<R>> ItemOutcome restored(R resource) throws StorageException {
    if (resource instanceof Setting setting) {
      return restored(setting);
    } else if (resource instanceof Volume volume) {
      return restored(volume);
    } else if (resource instanceof BackingImage image) {
      return restored(image);
    }
    return created(resource);
  }

  /** Returns whether another cluster can fetch the bytes of an image. */
  static boolean hasOwnBytes(BackingImageSpec spec) {
    return SOURCES.contains(spec.sourceType());
  }

  private ItemOutcome restored(BackingImage image) throws StorageException {
    if (!hasOwnBytes(image.spec()) && store.get(BackingImage.KIND, image.name()).isEmpty()) {
      return ItemOutcome.failed(
          BackingImage.KIND.kind(),
          image.name(),
          "its bytes are not in the backup: make it again with 'holdfast image'");
    }
    Map<String, String> parameters = new HashMap<>(image.spec().sourceParameters());
    parameters.computeIfPresent(BackupBackingImage.URL_PARAMETER, (key, saved) -> present(saved));
    return created(image.withSpec(image.spec().withSourceParameters(parameters)));
  }

  /** Returns the address by which this cluster reaches a backup at the target. */
  private String present(String saved) {
    return BackupAddresses.targetOf(saved).equals(savedAddress)
        ? BackupAddresses.atTarget(saved, address)
        : saved;
  }

  <R extends Resource<R>> ItemOutcome created(R resource) throws StorageException {
    ResourceKind<R> kind = resource.resourceKind();
    Optional<R> present = store.get(kind, resource.name());
    if (present.isPresent()) {
      return ItemOutcome.of(kind.kind(), isOurs(present.get()) ? Result.RESTORED : Result.EXISTING);
    }
    try {
      store.create(resource);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
      // An earlier attempt, or another node at the same time, created the resource.
    }
    return ItemOutcome.of(kind.kind(), Result.RESTORED);
  }

  private boolean isOurs(Resource<?> present) {
    return restore
        .metadata()
        .uid()
        .equals(present.metadata().annotations().get(SystemRestore.ANNOTATION));
  }

  /**
   * Restores the value of a setting, because settings exist in each cluster. Does so once, because
   * a user may have changed the setting since this restore set it.
   */
  private ItemOutcome restored(Setting setting) throws StorageException {
    Optional<Setting> present = store.get(Setting.KIND, setting.name());
    if (present.isEmpty() || present.get().spec().equals(setting.spec())) {
      return created(setting);
    }
    Setting stored = present.get();
    if (isOurs(stored)) {
      return ItemOutcome.of(Setting.KIND.kind(), Result.RESTORED);
    }
    Map<String, String> annotations = new HashMap<>(stored.metadata().annotations());
    annotations.put(SystemRestore.ANNOTATION, restore.metadata().uid());
    store.update(
        stored.withSpecOf(setting).withMetadata(stored.metadata().withAnnotations(annotations)));
    return ItemOutcome.of(Setting.KIND.kind(), Result.RESTORED);
  }

  private ItemOutcome restored(Volume volume) throws StorageException {
    String kind = Volume.KIND.kind();
    if (restore.spec().volumes() == RestoredVolumes.NONE
        || !restore.spec().selects(volume.metadata().labels())) {
      return ItemOutcome.of(kind, Result.SKIPPED);
    }
    String saved = volume.spec().fromBackup();
    if (saved.isEmpty() && store.get(Volume.KIND, volume.name()).isEmpty()) {
      return ItemOutcome.failed(kind, volume.name(), "the system backup names no backup of it");
    }
    return created(
        volume.withSpec(
            volume
                .spec()
                .withFromBackup(present(saved))
                .withRestoreMode(restore.spec().restoreMode())));
  }
}
