package dev.holdfast.image.internal.control;

import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Attached volumes of a node without any. */
final class NoVolumes implements AttachedVolumes {
  @Override
  public Optional<AttachedVolume> get(String engine) {
    return Optional.empty();
  }

  @Override
  public Optional<Portal> portal() {
    return Optional.empty();
  }

  @Override
  public Executor executor() {
    return Runnable::run;
  }

  @Override
  public ResourceStore store() throws StorageException {
    throw new StorageException(ErrorCode.UNREACHABLE, "no volume is attached");
  }
}
