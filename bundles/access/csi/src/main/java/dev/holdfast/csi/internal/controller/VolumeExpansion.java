package dev.holdfast.csi.internal.controller;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.CapacityRange;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;

/** Expands volumes, in use or not. Thread-safe. */
final class VolumeExpansion {
  private final ResourceStore store;
  private final CsiVolumes volumes;
  private final InFlightCalls claims;

  VolumeExpansion(ResourceStore store, CsiVolumes volumes, InFlightCalls claims) {
    this.store = store;
    this.volumes = volumes;
    this.claims = claims;
  }

  Csi.ControllerExpandVolumeResponse expand(Csi.ControllerExpandVolumeRequest request)
      throws StorageException, StatusException {
    String id = request.getVolumeId();
    if (id.isEmpty()) {
      throw CsiStatus.invalid("volume_id", "is missing");
    }
    if (!request.hasCapacityRange()) {
      throw CsiStatus.invalid("capacity_range", "is missing");
    }
    boolean block =
        request.hasVolumeCapability()
            && RequestedAccess.of("volume_capability", true, request.getVolumeCapability()).block();
    Volume volume = volumes.require(id);
    if (volume.awaitsContent()) {
      throw CsiStatus.failedPrecondition("volume " + id + " is not whole yet, it is being copied");
    }
    return claims.on(
        "volume " + id,
        () -> {
          long size = grown(request.getCapacityRange(), volumes.require(id));
          new StoreEditor(store)
              .edit(
                  Volume.KIND,
                  id,
                  v ->
                      v.spec().size().bytes() >= size
                          ? v
                          : v.withSpec(v.spec().withSize(new Quantity(size))));
          awaitSize(id, size);
          return Csi.ControllerExpandVolumeResponse.newBuilder()
              .setCapacityBytes(size)
              // The node that exports a share grows its filesystem itself.
              .setNodeExpansionRequired(!block && !ShareManager.isShared(volume))
              .build();
        });
  }

  /**
   * Returns the new size. A volume that is large enough keeps its size, but must not exceed the
   * range.
   */
  private static long grown(Csi.CapacityRange range, Volume volume) throws StatusException {
    long present = volume.spec().size().bytes();
    if (CapacityRange.fits(present, range)) {
      return present;
    }
    if (range.getLimitBytes() > 0 && range.getLimitBytes() < present) {
      throw CsiStatus.outOfRange(
          "capacity_range.limit_bytes: is "
              + range.getLimitBytes()
              + ", volume "
              + volume.name()
              + " has "
              + present
              + " bytes and cannot shrink");
    }
    return CapacityRange.wanted(true, range, 0);
  }

  /** Waits for the new size. A volume that was never attached has its size at once. */
  private void awaitSize(String id, long size) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var volume = observation.follow(Volume.KIND, id);
      var unused =
          observation.await(
              "volume " + id,
              CallReplies.waiting(),
              () -> volume.latest().filter(v -> v.status().currentSize().bytes() >= size),
              () ->
                  volume
                      .latest()
                      .map(v -> "it has " + v.status().currentSize() + " of " + v.spec().size())
                      .orElse("its deletion"));
    }
  }
}
