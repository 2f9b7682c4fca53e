package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Reports in the status of each volume on an image whether the image can be used. */
@Component(service = Reconciler.class)
public final class ImageVolumeReconciler implements Reconciler<Volume> {
  /** Creates the reconciler. */
  @Activate
  public ImageVolumeReconciler() {}

  @Override
  public String name() {
    return "backing-image-volume";
  }

  @Override
  public ResourceKind<Volume> kind() {
    return Volume.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        new Watched<>(
            BackingImage.KIND,
            image ->
                context.list(Volume.KIND, LabelSelector.ALL).stream()
                    .filter(volume -> volume.spec().backingImage().equals(image.name()))
                    .map(Volume::name)
                    .toList()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Volume> found =
        context
            .get(Volume.KIND, name)
            .filter(volume -> !volume.spec().backingImage().isEmpty())
            .filter(volume -> !volume.isBeingDeleted());
    if (found.isEmpty()) {
      return Result.DONE;
    }
    Volume volume = found.get();
    Optional<BackingImage> image = context.get(BackingImage.KIND, volume.spec().backingImage());
    Optional<ImageUse.Obstacle> obstacle = ImageUse.obstacle(volume, image);
    boolean ready = obstacle.isEmpty() && image.get().isReady();
    if (ready && isInSteps(volume)) {
      return Result.DONE;
    }
    List<Condition> conditions =
        Condition.with(
            volume.status().conditions(),
            Volume.BACKING_IMAGE_READY_CONDITION,
            ready ? Condition.Status.TRUE : Condition.Status.FALSE,
            obstacle.map(ImageUse.Obstacle::reason).orElse(ready ? Condition.READY : "InProgress"),
            obstacle
                .map(ImageUse.Obstacle::message)
                .orElse(ready ? "" : "image " + volume.spec().backingImage() + " is not ready yet"),
            context.clock().instant());
    if (!conditions.equals(volume.status().conditions())) {
      context.store().updateStatus(volume.withStatus(volume.status().withConditions(conditions)));
    }
    return Result.DONE;
  }

  /**
   * Returns whether other controllers are about to write to a volume that has no report yet. A
   * report in between would conflict with their steps and delay the volume. Each step of the volume
   * triggers this reconciler again.
   */
  private static boolean isInSteps(Volume volume) {
    boolean between =
        switch (volume.status().state()) {
          case DETACHED, ATTACHED -> false;
          case CREATING, ATTACHING, DETACHING, DELETING -> true;
        };
    return between
        && Condition.find(volume.status().conditions(), Volume.BACKING_IMAGE_READY_CONDITION)
            .isEmpty();
  }
}
