package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.transfer.ImageTransfers;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.ImageState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Delivers each image in one step, instead of transfers on separate threads. */
final class InstantDelivery implements Reconciler<BackingImageDataSource> {
  private final byte[] content;

  InstantDelivery(byte[] content) {
    this.content = content;
  }

  @Override
  public String name() {
    return "instant-delivery";
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
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<BackingImageDataSource> found = context.get(BackingImageDataSource.KIND, name);
    if (found.isEmpty() || found.get().isBeingDeleted()) {
      return Result.DONE;
    }
    BackingImageDataSource source = found.get();
    Path file = ImageTransfers.file(source);
    try {
      if (source.spec().fileTransferred()) {
        Files.deleteIfExists(file);
        return Result.DONE;
      }
      Files.createDirectories(file.getParent());
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    context
        .store()
        .updateStatus(
            source.withStatus(
                source
                    .status()
                    .withPlace(source.spec().diskUUID())
                    .withCurrentState(ImageState.READY_FOR_TRANSFER)
                    .withSize(new Quantity(content.length))
                    .withChecksum("0".repeat(128))
                    .withProgress(100)));
    return Result.DONE;
  }
}
