package dev.holdfast.image.internal.control;

import dev.holdfast.datapath.ConditionReasons;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.volume.Volume;
import java.util.Optional;

/** Decides whether a volume can use an image. A pure function. */
final class ImageUse {
  private ImageUse() {}

  /** The reason why a volume cannot use an image. */
  record Obstacle(String reason, String message) {}

  static Optional<Obstacle> obstacle(Volume volume, Optional<BackingImage> image) {
    String name = volume.spec().backingImage();
    if (image.isEmpty() || image.get().isBeingDeleted()) {
      return Optional.of(
          new Obstacle(
              ConditionReasons.of(ErrorCode.NOT_FOUND),
              "image "
                  + name
                  + (image.isEmpty() ? " does not exist" : " is being deleted")
                  + ": create it with 'holdfast image create', or delete the volume"));
    }
    if (!image.get().spec().dataEngine().equals(volume.spec().dataEngine())) {
      return Optional.of(
          new Obstacle(
              "OtherEngine",
              "image "
                  + name
                  + " is kept by engine "
                  + image.get().spec().dataEngine()
                  + ", the volume by engine "
                  + volume.spec().dataEngine()));
    }
    if (image.get().hasFailed()) {
      String why =
          Condition.find(image.get().status().conditions(), Condition.READY)
              .map(Condition::message)
              .orElse("");
      return Optional.of(
          new Obstacle(Condition.FAILED_REASON, "image " + name + " failed: " + why));
    }
    if (image.get().status().virtualSize().compareTo(volume.spec().size()) > 0) {
      return Optional.of(
          new Obstacle(
              "TooSmall",
              "image "
                  + name
                  + " has "
                  + image.get().status().virtualSize()
                  + ", volume "
                  + volume.name()
                  + " only "
                  + volume.spec().size()
                  + ": raise its spec.size"));
    }
    return Optional.empty();
  }
}
