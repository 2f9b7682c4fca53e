package dev.holdfast.backup.internal;

import dev.holdfast.backup.internal.objects.ObjectDamage;
import dev.holdfast.backupstore.image.LonghornImages;
import dev.holdfast.backupstore.image.StoredImage;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Checks;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupBackingImageStatus;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Lists the backups of images at targets after each scan of a target for volumes. Creates a
 * resource for each backup of another cluster, and removes it when it is certain that the target no
 * longer has the backup.
 */
@Component(service = Reconciler.class)
public final class ImageScanReconciler implements Reconciler<BackupTarget> {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration RETRY = Duration.ofSeconds(30);

  private final InstalledTargets targets;
  private final BackgroundWork<Scan> scans;
  private final Pauses pauses = new Pauses(RETRY);
  private final Map<String, Long> done = new ConcurrentHashMap<>();

  /**
   * A complete scan.
   *
   * @param number of the preceding scan for volumes
   * @param images complete backups that can be read
   * @param known names of images with a resource in the store when the scan began
   * @param vanished those of them that were complete and that the target does not have
   */
  private record Scan(
      long number, List<StoredImage.Summary> images, Set<String> known, Set<String> vanished) {}

  /** Creates the reconciler of a running bundle. */
  @Activate
  public ImageScanReconciler(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this(targets, volumes.executor());
  }

  ImageScanReconciler(InstalledTargets targets, Executor threads) {
    this.targets = targets;
    this.scans = new BackgroundWork<>(threads);
  }

  @Override
  public String name() {
    return "backup-image-scan";
  }

  @Override
  public ResourceKind<BackupTarget> kind() {
    return BackupTarget.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<BackupTarget> found = context.get(BackupTarget.KIND, name);
    if (found.isEmpty()) {
      forget(name, context);
      return Result.DONE;
    }
    BackupTarget target = found.get();
    TargetAccess access = TargetAccess.of(target);
    String work = target.metadata().uid() + " " + access;
    if (scans.isBegun(work)) {
      return follow(work, target, context);
    }
    long number = target.status().scans();
    if (number == done.getOrDefault(work, 0L)) {
      return Result.DONE;
    }
    Optional<Duration> pause = pauses.left(work, context.clock().instant());
    if (pause.isPresent()) {
      return Result.after(pause.get());
    }
    Map<String, BackupBackingImage> stored = stored(name, context);
    scans.begin(work, () -> scan(access, number, stored));
    return Result.after(POLL);
  }

  /** Removes the cache entries of a removed target. The content of the target stays. */
  private static void forget(String name, ReconcileContext context) throws StorageException {
    if (context.store().get(BackupTarget.KIND, name).isEmpty()) {
      for (BackupBackingImage backup : stored(name, context).values()) {
        if (!backup.spec().userCreated()) {
          delete(backup, context);
        }
      }
    }
  }

  private static Map<String, BackupBackingImage> stored(String target, ReconcileContext context)
      throws StorageException {
    return context.store().list(BackupBackingImage.KIND, LabelSelector.ALL).items().stream()
        .filter(backup -> backup.spec().backupTargetName().equals(target))
        .collect(Collectors.toMap(backup -> backup.spec().backingImage(), backup -> backup));
  }

  private Scan scan(TargetAccess access, long number, Map<String, BackupBackingImage> stored)
      throws StorageException {
    try (ObjectStore store = targets.open(access)) {
      LonghornImages images = new LonghornImages(store);
      List<String> names = images.names();
      List<StoredImage.Summary> complete = new ArrayList<>();
      for (String name : names) {
        read(images, name).filter(image -> !image.inProgress()).ifPresent(complete::add);
      }
      Set<String> vanished = new TreeSet<>();
      for (BackupBackingImage backup : stored.values()) {
        String image = backup.spec().backingImage();
        // A list may lack an existing object.
        if (backup.status().state() == BackupState.COMPLETED
            && !names.contains(image)
            && !images.has(image)) {
          vanished.add(image);
        }
      }
      return new Scan(number, complete, Set.copyOf(stored.keySet()), vanished);
    }
  }

  /**
   * Reads a description. Returns empty for a damaged description, for which no resource is created.
   */
  private static Optional<StoredImage.Summary> read(LonghornImages images, String name)
      throws StorageException {
    try {
      return images.summary(name);
    } catch (StorageException e) {
      ObjectDamage.require(e);
      return Optional.empty();
    }
  }

  private Result follow(String work, BackupTarget target, ReconcileContext context)
      throws StorageException {
    Optional<Scan> scan;
    try {
      scan = scans.take(work);
    } catch (StorageException e) {
      pauses.begin(work, context.clock().instant());
      context.events().warning(target, "ImageScanFailed", String.valueOf(e.getMessage()));
      return Result.after(RETRY);
    }
    if (scan.isEmpty()) {
      return Result.after(POLL);
    }
    apply(scan.get(), target, context);
    done.put(work, scan.get().number());
    return Result.after(POLL);
  }

  private static void apply(Scan scan, BackupTarget target, ReconcileContext context)
      throws StorageException {
    Map<String, BackupBackingImage> stored = stored(target.name(), context);
    for (StoredImage.Summary image : scan.images()) {
      BackupBackingImage present = stored.get(image.name());
      // A resource that was in the store when the scan began was deleted since.
      if (present == null && Checks.isName(image.name()) && !scan.known().contains(image.name())) {
        present = create(target, image, context);
      }
      boolean follows =
          present != null
              && !present.isBeingDeleted()
              && (!present.spec().userCreated() || present.isFinal());
      if (follows) {
        String url = TargetAccess.addressOfImage(target, image.name());
        write(present, ImageBackupRecords.found(present.status(), image).withUrl(url), context);
      }
    }
    for (String name : scan.vanished()) {
      BackupBackingImage present = stored.get(name);
      if (present != null && !present.isBeingDeleted()) {
        vanished(present, target, context);
      }
    }
  }

  private static BackupBackingImage create(
      BackupTarget target, StoredImage.Summary image, ReconcileContext context)
      throws StorageException {
    BackupBackingImage entry = BackupBackingImage.of(target.name(), image.name());
    return context.store().create(entry.withSpec(entry.spec().withLabels(image.labels())));
  }

  private static void vanished(
      BackupBackingImage backup, BackupTarget target, ReconcileContext context)
      throws StorageException {
    if (!backup.spec().userCreated()) {
      delete(backup, context);
    } else if (backup.status().state() == BackupState.COMPLETED) {
      String why = "backup target " + target.name() + " does not have it any more";
      write(backup, backup.status().withState(BackupState.ERROR).withError(why), context);
      context.events().warning(backup, "BackupVanished", why);
    }
  }

  private static void write(
      BackupBackingImage backup, BackupBackingImageStatus next, ReconcileContext context)
      throws StorageException {
    if (!next.equals(backup.status())) {
      context.store().updateStatus(backup.withStatus(next));
    }
  }

  private static void delete(BackupBackingImage backup, ReconcileContext context)
      throws StorageException {
    try {
      context.store().delete(BackupBackingImage.KIND, backup.name(), backup.metadata().uid());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }
}
