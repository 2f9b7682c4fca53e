package dev.holdfast.csi.internal.controller;

import dev.holdfast.client.BackingImages;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.ImageParameters;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.util.Map;
import java.util.Optional;

/**
 * Creates the backing images that storage classes name, once for all their volumes. Thread-safe.
 */
final class ImageProvisioning {
  private final ResourceStore store;
  private final BackingImages images;

  ImageProvisioning(ResourceStore store) {
    this.store = store;
    this.images = new BackingImages(store);
  }

  /**
   * Returns the image of a class once it is ready, and makes an absent one.
   *
   * @param dataEngine that keeps the volumes of the class
   * @return empty for a class without an image
   * @throws StatusException INVALID_ARGUMENT for an image that is absent and cannot be made, or
   *     that differs from what the class says
   */
  Optional<BackingImage> settle(Map<String, String> parameters, String dataEngine)
      throws StorageException, StatusException {
    Optional<ImageParameters> wanted = ImageParameters.of(parameters);
    if (wanted.isEmpty()) {
      return Optional.empty();
    }
    String name = wanted.get().name();
    Optional<BackingImageSpec> made =
        wanted.get().made().map(spec -> spec.withDataEngine(dataEngine));
    Optional<BackingImage> present = store.get(BackingImage.KIND, name);
    if (present.isEmpty()) {
      create(name, made);
      present = store.get(BackingImage.KIND, name);
    }
    if (present.isPresent() && made.isPresent()) {
      requireSame(present.get().spec(), made.get(), name);
    }
    return Optional.of(images.awaitReady(name, CallReplies.waiting()));
  }

  private void create(String name, Optional<BackingImageSpec> made)
      throws StorageException, StatusException {
    if (made.isEmpty()) {
      throw CsiStatus.invalid(
          "parameters[backingImage]",
          "image \"" + name + "\" does not exist: create it, or set backingImageDataSourceType");
    }
    try {
      store.create(BackingImage.of(name, made.get()));
    } catch (StorageException e) {
      // Another call has created the image.
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  /** Compares the fields that determine the content; the number of copies may have changed. */
  private static void requireSame(BackingImageSpec present, BackingImageSpec wanted, String name)
      throws StatusException {
    require(present.sourceType(), wanted.sourceType(), "backingImageDataSourceType", name);
    require(
        present.sourceParameters(),
        wanted.sourceParameters(),
        "backingImageDataSourceParameters",
        name);
    if (!wanted.checksum().isEmpty()) {
      require(present.checksum(), wanted.checksum(), "backingImageChecksum", name);
    }
    require(present.dataEngine(), wanted.dataEngine(), "dataEngine", name);
  }

  private static void require(Object present, Object wanted, String parameter, String name)
      throws StatusException {
    if (!present.equals(wanted)) {
      throw CsiStatus.invalid(
          "parameters[" + parameter + "]",
          "\"" + wanted + "\": image " + name + " exists and has \"" + present + "\"");
    }
  }
}
