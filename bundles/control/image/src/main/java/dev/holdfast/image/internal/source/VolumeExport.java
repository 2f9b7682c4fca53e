package dev.holdfast.image.internal.source;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.datapath.ActiveEngines;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.source.DeliveryDisks.PreparedVolume;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.Map;
import java.util.Optional;

/**
 * Prepares a volume for a delivery that reads it: attached to this node by a ticket, and with a
 * snapshot. The name of the snapshot that is taken for an image contains the image's uuid, so that
 * a crash causes no second snapshot.
 */
public final class VolumeExport {
  private final AttachedVolumes volumes;
  private final ReconcileContext context;

  /** Creates an object that prepares volumes of this node. */
  public VolumeExport(AttachedVolumes volumes, ReconcileContext context) {
    this.volumes = volumes;
    this.context = context;
  }

  /**
   * The result of a step.
   *
   * @param volume the prepared volume; empty while it waits
   * @param awaited the condition for which it waits, for the user
   */
  public record Preparation(Optional<PreparedVolume> volume, String awaited) {
    private static Preparation awaits(String what) {
      return new Preparation(Optional.empty(), what);
    }
  }

  /**
   * Makes one step.
   *
   * @throws StorageException NOT_FOUND without the volume or the snapshot; IO if no snapshot can be
   *     taken
   */
  public Preparation prepare(BackingImageDataSource source, String volume) throws StorageException {
    if (context.store().get(Volume.KIND, volume).filter(v -> !v.isBeingDeleted()).isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "image "
              + source.name()
              + ": spec.sourceParameters["
              + ClusterDisks.VOLUME_PARAMETER
              + "]: volume "
              + volume
              + " does not exist");
    }
    Optional<Engine> engine =
        ActiveEngines.of(volume, context).filter(found -> isOpen(found.name()));
    if (engine.isEmpty()) {
      return Preparation.awaits(
          "waits until volume " + volume + " is attached to node " + context.nodeName());
    }
    Snapshot snapshot = snapshot(source, volume);
    if (!snapshot.status().error().isEmpty()) {
      throw new StorageException(
          ErrorCode.IO,
          "image "
              + source.name()
              + ": snapshot "
              + snapshot.name()
              + " of volume "
              + volume
              + " cannot be used: "
              + snapshot.status().error());
    }
    return snapshot.status().readyToUse()
        ? new Preparation(
            Optional.of(new PreparedVolume(volume, engine.get().name(), snapshot.nameInVolume())),
            "")
        : Preparation.awaits("waits for a snapshot of volume " + volume);
  }

  private boolean isOpen(String engine) {
    return volumes
        .get(engine)
        .filter(attached -> attached.status().phase() == AttachedVolumeStatus.Phase.OPEN)
        .isPresent();
  }

  private Snapshot snapshot(BackingImageDataSource source, String volume) throws StorageException {
    String wanted = source.spec().parameters().getOrDefault(ClusterDisks.SNAPSHOT_PARAMETER, "");
    if (!wanted.isEmpty()) {
      return named(source, volume, wanted);
    }
    Optional<Snapshot> taken = context.store().get(Snapshot.KIND, nameFor(source));
    if (taken.isPresent()) {
      return taken.get();
    }
    Snapshot made = Snapshot.of(nameFor(source), SnapshotSpec.EMPTY.withVolume(volume));
    return context
        .store()
        .create(
            made.withMetadata(
                made.metadata().withLabels(Map.of(BackingImage.LABEL, source.name()))));
  }

  private Snapshot named(BackingImageDataSource source, String volume, String wanted)
      throws StorageException {
    return context.store().list(Snapshot.KIND, LabelSelector.ALL).items().stream()
        .filter(snapshot -> snapshot.spec().volume().equals(volume))
        .filter(snapshot -> snapshot.nameInVolume().equals(wanted))
        .filter(snapshot -> !snapshot.isBeingDeleted())
        .findFirst()
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND,
                    "image "
                        + source.name()
                        + ": spec.sourceParameters["
                        + ClusterDisks.SNAPSHOT_PARAMETER
                        + "]: volume "
                        + volume
                        + " has no snapshot "
                        + wanted));
  }

  private static String nameFor(BackingImageDataSource source) {
    return "image-" + source.spec().uuid();
  }

  /** Removes the snapshot that was taken for an image. */
  public static void release(BackingImageDataSource source, ReconcileContext context)
      throws StorageException {
    Optional<Snapshot> taken =
        context
            .store()
            .get(Snapshot.KIND, nameFor(source))
            .filter(snapshot -> snapshot.metadata().labels().containsKey(BackingImage.LABEL))
            .filter(snapshot -> !snapshot.isBeingDeleted());
    if (taken.isPresent()) {
      context.store().delete(Snapshot.KIND, taken.get().name(), taken.get().metadata().uid());
    }
  }
}
