package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.image.BackingImageManager;
import java.util.Map;
import java.util.TreeMap;

/** Idempotent writes to the store. */
final class ImageWrites {
  private ImageWrites() {}

  /** Creates a resource. An existing one was created before a crash, or by another controller. */
  static <R extends Resource<R>> void create(R resource, ReconcileContext context)
      throws StorageException {
    try {
      context.store().create(resource);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  /** Removes an image from the spec of a disk's manager, which then deletes the file. */
  static void giveUp(BackingImageManager manager, String image, ReconcileContext context)
      throws StorageException {
    if (!manager.spec().backingImages().containsKey(image)) {
      return;
    }
    Map<String, String> images = new TreeMap<>(manager.spec().backingImages());
    images.remove(image);
    context.store().update(manager.withSpec(manager.spec().withBackingImages(images)));
  }
}
