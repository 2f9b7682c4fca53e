package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.datapath.ActiveEngines;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageDataSourceSpec;
import dev.holdfast.resource.image.BackingImageStatus;
import dev.holdfast.resource.image.ImageFile;
import dev.holdfast.resource.image.ImageState;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Chooses the disk on which an image is delivered, and decides when its delivery is over. */
final class DataSourceChoice {
  private static final String DOWNLOAD = "download";

  private final ImageView view;
  private final ReconcileContext context;

  DataSourceChoice(ImageView view, ReconcileContext context) {
    this.view = view;
    this.context = context;
  }

  /** Returns the transfer of the image; empty while no disk can take it. */
  Optional<BackingImageDataSource> lead() throws StorageException {
    if (view.source().isPresent()) {
      return view.source();
    }
    Optional<ImageDisk> disk = choose("");
    if (disk.isEmpty()) {
      return Optional.empty();
    }
    BackingImage image = view.image();
    BackingImageDataSource made =
        BackingImageDataSource.of(
            image.name(),
            new BackingImageDataSourceSpec(
                image.status().uuid(),
                disk.get().node().name(),
                disk.get().uuid(),
                disk.get().spec().path(),
                image.spec().sourceType(),
                image.spec().sourceParameters(),
                image.spec().checksum(),
                false));
    ImageWrites.create(made, context);
    return context.store().get(BackingImageDataSource.KIND, image.name());
  }

  /**
   * Chooses a disk: first one of the node that has the exported volume open, then one with a
   * replica, then the one with the most space.
   */
  private Optional<ImageDisk> choose(String exceptNode) {
    return view.disks().stream()
        .filter(disk -> disk.isEligible(view.image().spec()) && !disk.isLeaving())
        .filter(disk -> !disk.node().name().equals(exceptNode))
        .min(
            Comparator.comparing((ImageDisk disk) -> !isAtVolume(disk))
                .thenComparing(disk -> !view.used().contains(disk.uuid()))
                .thenComparing(disk -> disk.status().storageAvailable(), Comparator.reverseOrder())
                .thenComparing(ImageDisk::uuid));
  }

  private boolean isAtVolume(ImageDisk disk) {
    return Optional.ofNullable(
            view.image().spec().sourceParameters().get(ClusterDisks.VOLUME_PARAMETER))
        .flatMap(volume -> ActiveEngines.of(volume, context))
        .filter(engine -> engine.spec().nodeID().equals(disk.node().name()))
        .isPresent();
  }

  /**
   * Returns a disk of another node on which the volume is open and on which the delivery can read
   * it.
   */
  private Optional<ImageDisk> followed(BackingImageDataSource source) {
    boolean waits =
        source.neededVolume().isPresent()
            && source.status().currentState() != ImageState.IN_PROGRESS;
    return waits
        ? choose("")
            .filter(this::isAtVolume)
            .filter(disk -> !disk.node().name().equals(source.spec().nodeID()))
        : Optional.empty();
  }

  /** Ends the delivery once the manager has the file, and restarts a lost download. */
  void settle(BackingImageDataSource source, BackingImageStatus status) throws StorageException {
    BackingImageDataSourceSpec next = next(source, status);
    if (!next.equals(source.spec())) {
      context.store().update(source.withSpec(next));
    }
  }

  /** Returns what {@link #settle} has the transfer do next. */
  BackingImageDataSourceSpec next(BackingImageDataSource source, BackingImageStatus status) {
    BackingImageDataSourceSpec spec = source.spec();
    if (source.isBeingDeleted() || !spec.uuid().equals(view.image().status().uuid())) {
      return spec;
    }
    Optional<ImageState> taken =
        view.manager(spec.diskUUID()).flatMap(view::file).map(ImageFile::state);
    if (!spec.fileTransferred() && taken.filter(s -> s == ImageState.READY).isPresent()) {
      return spec.withFileTransferred(true);
    } else if (spec.sourceType().equals(DOWNLOAD) && isLost(source, status)) {
      return moved(spec, choose(spec.nodeID()).or(() -> choose("")));
    }
    return moved(spec, followed(source));
  }

  private static BackingImageDataSourceSpec moved(
      BackingImageDataSourceSpec spec, Optional<ImageDisk> next) {
    return next.map(
            disk ->
                spec.withFileTransferred(false)
                    .withNodeID(disk.node().name())
                    .withDiskUUID(disk.uuid())
                    .withDiskPath(disk.spec().path()))
        .orElse(spec);
  }

  /** Returns whether all copies have failed for longer than the time of the setting. */
  private boolean isLost(BackingImageDataSource source, BackingImageStatus status) {
    Instant since = context.clock().instant().minus(new ImageSettings(context).recoveryWait());
    List<ImageFile> files = view.managers().stream().flatMap(m -> view.file(m).stream()).toList();
    if (!source.spec().fileTransferred()) {
      // The delivery is retried on its disk. Another node is chosen if its node is unreachable.
      return source.status().currentState() == ImageState.UNKNOWN
          && source.status().lastStateTransition().filter(at -> at.isBefore(since)).isPresent();
    }
    return !status.contentChecksum().isEmpty()
        && !files.isEmpty()
        && files.stream()
            .allMatch(
                file ->
                    file.state() == ImageState.FAILED
                        && file.lastStateTransition().filter(at -> at.isBefore(since)).isPresent());
  }
}
