package dev.holdfast.volume.internal.deleted;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Converts between a volume and the resource that retains it. Pure functions. */
public final class KeptVolume {
  /** Reason of a volume with the same name as a retained deleted volume. */
  static final String NAME_KEPT = "NameKept";

  private KeptVolume() {}

  /**
   * Returns whether a volume has content to keep. An incomplete copy or restore and a standby
   * volume still have their content at the source.
   */
  public static boolean isWorthKeeping(Volume volume, List<Replica> replicas) {
    return !volume.awaitsContent()
        && !volume.isStandby()
        && replicas.stream().anyMatch(Replica::wasProvisioned);
  }

  /** Returns the resource that is to keep a volume. */
  public static DeletedVolume of(Volume volume, Duration grace, Instant now) {
    Instant deletedAt = now.truncatedTo(ChronoUnit.SECONDS);
    return DeletedVolume.of(
        volume.name(),
        DeletedVolumeSpec.EMPTY
            .withVolumeUID(volume.metadata().uid())
            .withVolumeSpec(again(volume.spec()))
            .withLabels(volume.metadata().labels())
            .withAnnotations(volume.metadata().annotations())
            .withActiveEngine(volume.status().activeEngine())
            .withCurrentSize(volume.status().currentSize())
            .withActualSize(volume.status().actualSize())
            .withDeletedAt(Optional.of(deletedAt))
            .withPurgeAt(Optional.of(deletedAt.plus(grace))));
  }

  /** Returns the spec without the source, because the content is complete. */
  private static VolumeSpec again(VolumeSpec spec) {
    return spec.withNodeID("")
        .withMigrationNodeID("")
        .withServingNodeIDs(List.of())
        .withDisableFrontend(false)
        .withSalvage(SalvageRequest.NONE)
        .withDeleteWhenDetached(false)
        .withCloneSource(Optional.empty())
        .withFromBackup("")
        .withRestoreMode(RestoreMode.WHOLE)
        .withRestoreFlattened(false)
        .withStandby(false);
  }

  /** Returns the volume that is to be made again. */
  public static Volume volume(DeletedVolume deleted) {
    TreeMap<String, String> annotations = new TreeMap<>(deleted.spec().annotations());
    // The copies that needed the volume are complete, because the volume remained until then.
    annotations.remove(CloneSource.COPIES_ANNOTATION);
    annotations.put(DeletedVolume.UNDELETED_ANNOTATION, deleted.metadata().uid());
    ObjectMeta metadata =
        ObjectMeta.named(deleted.name())
            .withLabels(deleted.spec().labels())
            .withAnnotations(annotations)
            .plusFinalizer(Volume.FINALIZER);
    return Volume.of(deleted.name(), deleted.spec().volumeSpec()).withMetadata(metadata);
  }

  /** Returns a restored volume with its former state. */
  public static Volume withState(Volume volume, DeletedVolume deleted) {
    VolumeStatus status =
        volume
            .status()
            .withState(VolumeState.DETACHED)
            .withActiveEngine(deleted.spec().activeEngine())
            .withCurrentSize(deleted.spec().currentSize())
            .withActualSize(deleted.spec().actualSize());
    return volume.withStatus(status);
  }

  /** Returns a volume with the condition that its name cannot be used. */
  public static Volume held(Volume volume, DeletedVolume deleted, Instant now) {
    String message =
        "a deleted volume "
            + volume.name()
            + " is "
            + deleted.status().state()
            + ": free its name with 'holdfast volume purge "
            + volume.name()
            + "', or delete this volume and take the deletion back with 'holdfast volume undelete "
            + volume.name()
            + "'";
    return volume.withStatus(
        volume
            .status()
            .withConditions(
                Condition.with(
                    volume.status().conditions(),
                    Volume.SCHEDULED_CONDITION,
                    Condition.Status.FALSE,
                    NAME_KEPT,
                    message,
                    now)));
  }
}
