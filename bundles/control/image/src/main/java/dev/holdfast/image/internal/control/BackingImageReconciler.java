package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.image.internal.plan.CopyPlan;
import dev.holdfast.image.internal.plan.ImageCopies;
import dev.holdfast.image.internal.plan.ImageWorld;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.image.BackingImageStatus;
import dev.holdfast.resource.image.DiskFileSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Manages an image: first assigns its uuid, then requests its delivery to one disk, decides which
 * disks get copies, and reports the copies in its status. All decisions are based on the stored
 * resources.
 */
@Component(service = Reconciler.class)
public final class BackingImageReconciler implements Reconciler<BackingImage> {
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final Duration PERIOD = Duration.ofSeconds(30);

  private final Supplier<String> uuids;
  private final Function<ImageWorld, CopyPlan> planner;

  /** Creates the reconciler. */
  @Activate
  public BackingImageReconciler() {
    this(() -> java.util.UUID.randomUUID().toString(), ImageCopies::plan);
  }

  BackingImageReconciler(Supplier<String> uuids, Function<ImageWorld, CopyPlan> planner) {
    this.uuids = uuids;
    this.planner = planner;
  }

  @Override
  public String name() {
    return "backing-image";
  }

  @Override
  public ResourceKind<BackingImage> kind() {
    return BackingImage.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        new Watched<>(BackingImageDataSource.KIND, source -> List.of(source.name())),
        new Watched<>(
            BackingImageManager.KIND, manager -> manager.status().backingImageFileMap().keySet()),
        new Watched<>(
            Volume.KIND,
            volume ->
                volume.spec().backingImage().isEmpty()
                    ? List.of()
                    : List.of(volume.spec().backingImage())),
        new Watched<>(
            DeletedVolume.KIND,
            deleted ->
                deleted.spec().volumeSpec().backingImage().isEmpty()
                    ? List.of()
                    : List.of(deleted.spec().volumeSpec().backingImage())),
        new Watched<>(
            Replica.KIND,
            replica ->
                context
                    .get(Volume.KIND, replica.spec().volume())
                    .map(volume -> volume.spec().backingImage())
                    .filter(image -> !image.isEmpty())
                    .map(List::of)
                    .orElse(List.of())),
        Watched.wakingAll(Node.KIND),
        Watched.wakingAll(Setting.KIND));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<BackingImage> cached = context.get(BackingImage.KIND, name);
    if (cached.isEmpty()) {
      return Result.DONE;
    }
    if (isSettled(cached.get(), context)) {
      return Result.after(PERIOD);
    }
    Optional<BackingImage> stored = context.store().get(BackingImage.KIND, name);
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    BackingImage image = stored.get();
    if (image.isBeingDeleted()) {
      return new ImageDeletion(image, context).advance() ? Result.DONE : Result.after(SOON);
    }
    if (!image.metadata().hasFinalizer(BackingImage.FINALIZER)) {
      image =
          context
              .store()
              .update(image.withMetadata(image.metadata().plusFinalizer(BackingImage.FINALIZER)));
    }
    if (image.status().uuid().isEmpty()) {
      context.store().updateStatus(image.withStatus(image.status().withUuid(uuids.get())));
      return Result.after(SOON);
    }
    return lead(image, context);
  }

  /**
   * Returns whether a step would change nothing according to the caches. Each change of a volume on
   * the image causes a step. If a cache is late, the missing change causes another step.
   */
  private boolean isSettled(BackingImage image, ReconcileContext context) throws StorageException {
    if (image.isBeingDeleted()
        || !image.metadata().hasFinalizer(BackingImage.FINALIZER)
        || image.status().uuid().isEmpty()) {
      return false;
    }
    ImageView view = ImageView.cached(image, context);
    if (view.source().filter(source -> source.spec().fileTransferred()).isEmpty()) {
      return false;
    }
    BackingImageDataSource source = view.source().get();
    CopyPlan plan = plan(view, context);
    BackingImageStatus status = ImageStatuses.of(view, plan);
    return spec(image.spec(), plan).equals(image.spec())
        && status.equals(image.status())
        && view.managers().stream().allMatch(manager -> followsPlan(manager, image, plan))
        && plan.entries().keySet().stream().allMatch(disk -> view.manager(disk).isPresent())
        && new DataSourceChoice(view, context).next(source, status).equals(source.spec());
  }

  private static boolean followsPlan(
      BackingImageManager manager, BackingImage image, CopyPlan plan) {
    String known = manager.spec().backingImages().get(image.name());
    return plan.entries().containsKey(manager.spec().diskUUID())
        ? image.status().uuid().equals(known)
        : known == null;
  }

  private CopyPlan plan(ImageView view, ReconcileContext context) {
    ImageSettings settings = new ImageSettings(context);
    return planner.apply(view.world(settings.cleanupWait(), settings.recoveryWait()));
  }

  private Result lead(BackingImage image, ReconcileContext context) throws StorageException {
    ImageView view = ImageView.read(image, context);
    DataSourceChoice choice = new DataSourceChoice(view, context);
    Optional<BackingImageDataSource> source = choice.lead();
    if (source.isEmpty()) {
      return write(image, ImageStatuses.withoutDisk(view), context);
    }
    ImageView led = view.withSource(source);
    CopyPlan plan = plan(led, context);
    BackingImageSpec spec = spec(image.spec(), plan);
    BackingImage planned =
        spec.equals(image.spec()) ? image : context.store().update(image.withSpec(spec));
    for (String disk : plan.entries().keySet()) {
      want(disk, led, context);
    }
    for (BackingImageManager manager : led.managers()) {
      if (!plan.entries().containsKey(manager.spec().diskUUID())) {
        ImageWrites.giveUp(manager, image.name(), context);
      }
    }
    BackingImageStatus status = ImageStatuses.of(led, plan);
    // The delivery ends after the checksum is stored: without a checksum, copies that are lost
    // directly after would not be downloaded again.
    Result next = write(planned, status, context);
    choice.settle(source.get(), status);
    // Check again soon on which node the exported volume is open.
    return source.get().neededVolume().isPresent() ? Result.after(SOON) : next;
  }

  private static BackingImageSpec spec(BackingImageSpec spec, CopyPlan plan) {
    Map<String, DiskFileSpec> disks = new TreeMap<>();
    plan.entries().forEach((disk, evicted) -> disks.put(disk, new DiskFileSpec(evicted)));
    return spec.withDiskFileSpecMap(disks)
        .withCleanupDisks(spec.cleanupDisks().stream().filter(plan.cleanup()::contains).toList());
  }

  /** Adds the image to the spec of a disk's manager. */
  private static void want(String disk, ImageView view, ReconcileContext context)
      throws StorageException {
    BackingImage image = view.image();
    Optional<BackingImageManager> found = view.manager(disk);
    Optional<ImageDisk> place = view.disk(disk);
    if (found.isPresent()) {
      BackingImageManager manager = found.get();
      String uuid = image.status().uuid();
      if (!manager.isBeingDeleted()
          && !uuid.equals(manager.spec().backingImages().get(image.name()))) {
        Map<String, String> images = new TreeMap<>(manager.spec().backingImages());
        images.put(image.name(), uuid);
        context.store().update(manager.withSpec(manager.spec().withBackingImages(images)));
      }
    } else if (place.isPresent()) {
      ImageWrites.create(ImageView.newManager(image, place.get()), context);
    }
  }

  private static Result write(
      BackingImage image, BackingImageStatus status, ReconcileContext context)
      throws StorageException {
    if (!status.equals(image.status())) {
      context.store().updateStatus(image.withStatus(status));
      return Result.after(SOON);
    }
    return Result.after(PERIOD);
  }
}
