package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.BaseTasks;
import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageManagerStatus;
import dev.holdfast.resource.image.ImageFile;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.Node;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Makes the image files of one disk of this node match the manager's spec. Files with the right
 * checksum are reused, and files are deleted only if their name or uuid is not in the spec. The
 * disk determines whether a replica uses a file. Running work is found by inspection, so that a
 * newer bundle continues it.
 */
@Component(service = Reconciler.class)
public final class ManagerReconciler implements Reconciler<BackingImageManager> {
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Interval of checks for the end of the work on a file, which no resource reports. */
  private static final Duration WORKING = Duration.ofMillis(200);

  private static final Duration PERIOD = Duration.ofSeconds(30);

  private final InstalledPlugins plugins;
  private final BaseTasks tasks;
  private final NodeChannels channels;

  /** Creates the reconciler. */
  @Activate
  public ManagerReconciler(
      @Reference InstalledPlugins plugins,
      @Reference BaseTasks tasks,
      @Reference NodeChannels channels) {
    this.plugins = plugins;
    this.tasks = tasks;
    this.channels = channels;
  }

  @Override
  public String name() {
    return "backing-image-manager";
  }

  @Override
  public ResourceKind<BackingImageManager> kind() {
    return BackingImageManager.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        new Watched<>(BackingImage.KIND, image -> managersOf(image.name(), context)),
        new Watched<>(BackingImageDataSource.KIND, source -> managersOf(source.name(), context)),
        new Watched<>(Setting.KIND, setting -> List.of()),
        new Watched<>(Node.KIND, node -> List.of()));
  }

  private static List<String> managersOf(String image, ReconcileContext context) {
    return context.list(BackingImageManager.KIND, LabelSelector.ALL).stream()
        .filter(manager -> manager.spec().nodeID().equals(context.nodeName()))
        .filter(manager -> manager.spec().backingImages().containsKey(image))
        .map(BackingImageManager::name)
        .toList();
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<BackingImageManager> found = context.get(BackingImageManager.KIND, name);
    if (found.isEmpty() || !found.get().spec().nodeID().equals(context.nodeName())) {
      return Result.DONE;
    }
    BackingImageManager manager = found.get();
    if (!manager.isBeingDeleted()
        && !manager.metadata().hasFinalizer(BackingImageManager.FINALIZER)) {
      manager =
          context
              .store()
              .update(
                  manager.withMetadata(
                      manager.metadata().plusFinalizer(BackingImageManager.FINALIZER)));
    }
    BackingImageManagerStatus next = next(manager, context);
    if (!next.equals(manager.status())) {
      manager = context.store().updateStatus(manager.withStatus(next));
    }
    if (manager.isBeingDeleted() && next.backingImageFileMap().isEmpty()) {
      context
          .store()
          .update(
              manager.withMetadata(
                  manager.metadata().minusFinalizer(BackingImageManager.FINALIZER)));
      return Result.DONE;
    }
    return Result.after(isSettled(next) ? PERIOD : isWorking(next) ? WORKING : POLL);
  }

  private static boolean isWorking(BackingImageManagerStatus status) {
    return status.backingImageFileMap().values().stream()
        .anyMatch(file -> file.state() == ImageState.IN_PROGRESS);
  }

  private static boolean isSettled(BackingImageManagerStatus status) {
    return status.backingImageFileMap().values().stream()
        .allMatch(file -> file.state() == ImageState.READY);
  }

  private BackingImageManagerStatus next(BackingImageManager manager, ReconcileContext context) {
    Optional<ImageDisk> disk =
        context
            .get(Node.KIND, context.nodeName())
            .flatMap(node -> ImageDisk.find(node, manager.spec().diskUUID()));
    if (disk.isEmpty() && manager.isBeingDeleted()) {
      // The disk was removed from the node, with its files.
      return BackingImageManagerStatus.EMPTY;
    }
    if (disk.filter(ImageDisk::isReady).isEmpty()) {
      return away(manager.status(), "disk " + manager.spec().diskUUID() + " cannot be used now");
    }
    ImageFiles files =
        new ImageFiles(
            disk.get(), plugins, tasks, new ImageCopySource(manager, channels, context), context);
    Map<String, ImageFile> next = new TreeMap<>();
    Map<String, ImageFile> known = manager.status().backingImageFileMap();
    Map<String, String> wanted =
        manager.isBeingDeleted() ? Map.of() : manager.spec().backingImages();
    known.forEach(
        (image, file) -> {
          if (!file.uuid().equals(wanted.get(image))) {
            files
                .remove(image, file, manager.isBeingDeleted())
                .ifPresent(left -> next.put(image, left));
          }
        });
    wanted.forEach(
        (image, uuid) -> {
          // A file of an earlier image of this name is removed first.
          next.computeIfAbsent(image, key -> files.keep(key, uuid, known.get(key)));
        });
    next.replaceAll((image, file) -> dated(known.get(image), file, context));
    return new BackingImageManagerStatus(BackingImageManagerStatus.RUNNING, next, "");
  }

  private static ImageFile dated(ImageFile before, ImageFile file, ReconcileContext context) {
    return before != null && before.state() == file.state()
        ? file.withLastStateTransition(before.lastStateTransition())
        : file.withLastStateTransition(
            Optional.of(context.clock().instant().truncatedTo(ChronoUnit.SECONDS)));
  }

  /**
   * Returns the status while the disk is absent: the state of the files is unknown, and earlier
   * failures stay.
   */
  private static BackingImageManagerStatus away(BackingImageManagerStatus status, String why) {
    Map<String, ImageFile> files = new TreeMap<>(status.backingImageFileMap());
    files.replaceAll(
        (image, file) ->
            file.state() == ImageState.FAILED
                ? file
                : file.withState(ImageState.UNKNOWN).withMessage(why));
    return new BackingImageManagerStatus(BackingImageManagerStatus.UNKNOWN, files, why);
  }
}
