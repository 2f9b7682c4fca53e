package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.diskimage.ImageFormat;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.image.internal.exchange.ImageContents;
import dev.holdfast.image.internal.source.DeliveryDisks;
import dev.holdfast.image.internal.source.VolumeExport;
import dev.holdfast.image.internal.transfer.ImageTransfers;
import dev.holdfast.image.internal.transfer.TransferReport;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageDataSourceStatus;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.Node;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.PeerNodes;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Delivers images into files of this node's disks, and reports the progress.
 *
 * <pre>
 *   pending --> starting --> in-progress --> ready-for-transfer
 *      ^            |             |                  | file gone
 *      +--- pause --+-- failed <--+------------------+
 * </pre>
 *
 * <p>An interrupted download resumes after the bytes in its file. An interrupted upload does not
 * start again, because only the client has its bytes.
 */
@Component(service = Reconciler.class)
public final class DataSourceReconciler implements Reconciler<BackingImageDataSource> {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration PERIOD = Duration.ofSeconds(30);

  private final ImageTransfers transfers;
  private final InstalledPlugins plugins;
  private final AttachedVolumes volumes;
  private final PeerNodes nodes;
  private final NodeChannels channels;

  /** Creates the reconciler. */
  @Activate
  public DataSourceReconciler(
      @Reference ImageTransfers transfers,
      @Reference InstalledPlugins plugins,
      @Reference AttachedVolumes volumes,
      @Reference PeerNodes nodes,
      @Reference NodeChannels channels) {
    this.transfers = transfers;
    this.plugins = plugins;
    this.volumes = volumes;
    this.nodes = nodes;
    this.channels = channels;
  }

  @Override
  public String name() {
    return "backing-image-data-source";
  }

  @Override
  public ResourceKind<BackingImageDataSource> kind() {
    return BackingImageDataSource.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(Setting.KIND, setting -> List.of()),
        new Watched<>(Node.KIND, node -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<BackingImageDataSource> found = context.get(BackingImageDataSource.KIND, name);
    if (found.isEmpty()) {
      return Result.DONE;
    }
    boolean clear = new FormerDisks(transfers, context).clear(found.get());
    Result next =
        found.get().spec().nodeID().equals(context.nodeName())
            ? bring(found.get(), context)
            : Result.DONE;
    return clear || !next.equals(Result.DONE) ? next : Result.after(PERIOD);
  }

  /** Delivers the image to its disk, which belongs to this node. */
  private Result bring(BackingImageDataSource found, ReconcileContext context)
      throws StorageException {
    BackingImageDataSource source = found;
    if (source.isBeingDeleted() || source.spec().fileTransferred()) {
      return release(source, context);
    }
    if (!source.metadata().hasFinalizer(BackingImageDataSource.FINALIZER)) {
      source =
          context
              .store()
              .update(
                  source.withMetadata(
                      source.metadata().plusFinalizer(BackingImageDataSource.FINALIZER)));
    }
    BackingImageDataSourceStatus next = next(source, context);
    if (next.currentState() != source.status().currentState()) {
      next =
          next.withLastStateTransition(
              Optional.of(context.clock().instant().truncatedTo(ChronoUnit.SECONDS)));
    }
    if (!next.equals(source.status())) {
      context.store().updateStatus(source.withStatus(next));
    }
    return Result.after(next.currentState() == ImageState.READY_FOR_TRANSFER ? PERIOD : POLL);
  }

  /**
   * Ends the transfer and removes its file, because the manager has the content, or no disk needs
   * it.
   */
  private Result release(BackingImageDataSource source, ReconcileContext context)
      throws StorageException {
    if (!transfers.stop(source)) {
      return Result.after(POLL);
    }
    if (isDiskHere(source, context)) {
      ImageTransfers.deleteFile(source);
    }
    VolumeExport.release(source, context);
    if (source.isBeingDeleted()
        && source.metadata().hasFinalizer(BackingImageDataSource.FINALIZER)) {
      context
          .store()
          .update(
              source.withMetadata(
                  source.metadata().minusFinalizer(BackingImageDataSource.FINALIZER)));
    }
    return Result.DONE;
  }

  private static boolean isDiskHere(BackingImageDataSource source, ReconcileContext context) {
    return context
        .get(Node.KIND, context.nodeName())
        .flatMap(node -> ImageDisk.find(node, source.spec().diskUUID()))
        .filter(ImageDisk::isReady)
        .filter(disk -> disk.spec().path().equals(source.spec().diskPath()))
        .isPresent();
  }

  private BackingImageDataSourceStatus next(
      BackingImageDataSource source, ReconcileContext context) {
    BackingImageDataSourceStatus status = source.status();
    if (!status.place().equals(source.spec().diskUUID())) {
      status =
          BackingImageDataSourceStatus.EMPTY
              .withPlace(source.spec().diskUUID())
              .withAttempts(status.attempts());
    }
    if (!isDiskHere(source, context)) {
      return status
          .withCurrentState(ImageState.UNKNOWN)
          .withMessage("disk " + source.spec().diskUUID() + " cannot be used now");
    }
    Optional<TransferReport> report = transfers.report(source);
    return report.isPresent()
        ? reported(source, status, report.get(), context)
        : idle(source, status, context);
  }

  private BackingImageDataSourceStatus reported(
      BackingImageDataSource source,
      BackingImageDataSourceStatus status,
      TransferReport report,
      ReconcileContext context) {
    if (report.failure().isPresent()) {
      transfers.forget(source);
      boolean again = isRestartable(source) && mayPass(report.failure().get());
      return failed(status, report.message(), again, context);
    }
    if (report.state() == ImageState.READY_FOR_TRANSFER && !report.checksum().isEmpty()) {
      transfers.forget(source);
    }
    return status
        .withCurrentState(report.state())
        .withSize(new Quantity(report.size()))
        .withProgress(report.progress())
        .withChecksum(report.checksum())
        .withFormat(report.disk() ? ImageFormat.RAW.toString() : "")
        .withMessage("")
        .withNextAttemptAt(Optional.empty());
  }

  private static BackingImageDataSourceStatus failed(
      BackingImageDataSourceStatus status,
      String message,
      boolean again,
      ReconcileContext context) {
    int attempts = status.attempts() + 1;
    return status
        .withCurrentState(ImageState.FAILED)
        .withMessage(message)
        .withAttempts(attempts)
        .withNextAttemptAt(
            again
                ? Optional.of(AttemptPause.next(attempts, context.clock().instant()))
                : Optional.empty());
  }

  private boolean isRestartable(BackingImageDataSource source) {
    return transfers.source(source.spec().sourceType()).filter(s -> !s.takesBody()).isPresent();
  }

  private static boolean mayPass(ErrorCode code) {
    return switch (code) {
      case CONFLICT, NO_SPACE, BUSY, UNREACHABLE, TIMEOUT, EXPIRED, IO, INTERNAL -> true;
      case NOT_FOUND, ALREADY_EXISTS, INVALID, UNSUPPORTED, FORBIDDEN -> false;
    };
  }

  /** Starts a transfer if none runs, or waits for its preconditions. */
  private BackingImageDataSourceStatus idle(
      BackingImageDataSource source,
      BackingImageDataSourceStatus status,
      ReconcileContext context) {
    Optional<ImageSourceProvider> provider = transfers.source(source.spec().sourceType());
    if (status.currentState() == ImageState.READY_FOR_TRANSFER) {
      return ImageTransfers.hasFile(source)
          ? status
          : failed(status, "the delivered file is gone", isRestartable(source), context);
    } else if (provider.isEmpty()) {
      return status.withMessage(
          "image source " + source.spec().sourceType() + " is not installed: install its bundle");
    } else if (provider.get().takesBody()) {
      return awaitBody(status, context);
    }
    boolean due =
        status.currentState() != ImageState.FAILED
            || AttemptPause.isDue(status.nextAttemptAt(), context.clock().instant());
    return due ? prepare(source, status, provider.get(), context) : status;
  }

  private static BackingImageDataSourceStatus awaitBody(
      BackingImageDataSourceStatus status, ReconcileContext context) {
    return switch (status.currentState()) {
      case IN_PROGRESS ->
          failed(
              status, "the upload broke off when the node stopped: send it again", false, context);
      case PENDING, UNKNOWN ->
          status.withCurrentState(ImageState.STARTING).withMessage("waits for the upload");
      case STARTING, READY_FOR_TRANSFER, READY, FAILED, FAILED_AND_CLEANUP -> status;
    };
  }

  /**
   * Prepares a volume for reading: it must be attached to this node and its snapshot must be taken.
   */
  private BackingImageDataSourceStatus prepare(
      BackingImageDataSource source,
      BackingImageDataSourceStatus status,
      ImageSourceProvider provider,
      ReconcileContext context) {
    try {
      Optional<String> volume = source.spec().exportedVolume();
      if (volume.isEmpty()) {
        return begin(source, status, provider, Optional.empty(), context);
      }
      VolumeExport.Preparation prepared =
          new VolumeExport(volumes, context).prepare(source, volume.get());
      return prepared.volume().isPresent()
          ? begin(source, status, provider, prepared.volume(), context)
          : status
              .withCurrentState(ImageState.PENDING)
              .withMessage(prepared.awaited())
              .withNextAttemptAt(Optional.empty());
    } catch (StorageException e) {
      return failed(status, String.valueOf(e.getMessage()), mayPass(e.code()), context);
    }
  }

  private BackingImageDataSourceStatus begin(
      BackingImageDataSource source,
      BackingImageDataSourceStatus status,
      ImageSourceProvider provider,
      Optional<DeliveryDisks.PreparedVolume> volume,
      ReconcileContext context)
      throws StorageException {
    ImageSettings settings = new ImageSettings(context);
    ImageContents images = new ImageContents(context.store(), plugins, nodes, channels);
    DeliveryDisks disks = new DeliveryDisks(context.store(), images, volumes, volume);
    transfers.start(
        source, provider, settings.networks(), settings.proxy(), disks, settings.largest());
    return status
        .withCurrentState(ImageState.STARTING)
        .withMessage("")
        .withNextAttemptAt(Optional.empty());
  }
}
