package dev.holdfast.csi.internal.controller;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.Volumes;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiTickets;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.snapshot.CsiSnapshots;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Deletes volumes that are not in use. Thread-safe. */
final class VolumeDeletion {
  /** Ticket types of workloads. Maintenance ends by itself when its volume is deleted. */
  private static final List<String> WORKLOADS = List.of(CsiNames.TICKET_TYPE, "api");

  private final ResourceStore store;
  private final CsiVolumes volumes;
  private final CsiSnapshots snapshots;
  private final InFlightCalls claims;

  VolumeDeletion(
      ResourceStore store, CsiVolumes volumes, CsiSnapshots snapshots, InFlightCalls claims) {
    this.store = store;
    this.volumes = volumes;
    this.snapshots = snapshots;
    this.claims = claims;
  }

  Csi.DeleteVolumeResponse delete(Csi.DeleteVolumeRequest request)
      throws StorageException, StatusException {
    String id = request.getVolumeId();
    if (id.isEmpty()) {
      throw CsiStatus.invalid("volume_id", "is missing");
    }
    return claims.on(
        "volume " + id,
        () -> {
          Optional<Volume> present = store.get(Volume.KIND, id);
          if (present.isPresent()) {
            delete(present.get());
          }
          return Csi.DeleteVolumeResponse.getDefaultInstance();
        });
  }

  private void delete(Volume volume) throws StorageException, StatusException {
    if (!volume.isBeingDeleted()) {
      requireUnused(volume.name());
      awaitEndOfShare(volume);
    }
    try {
      var unused = new Volumes(store).delete(volume.name(), CallReplies.waiting());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  /**
   * Waits for a share that served workloads only: it ends after the last one, but takes its time. A
   * share that a user asked for stays, and holds the volume.
   */
  private void awaitEndOfShare(Volume volume) throws StorageException {
    Optional<ShareManager> share = store.get(ShareManager.KIND, volume.name());
    if (share.filter(s -> !s.spec().serve()).isEmpty()) {
      return;
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var attachment = observation.follow(VolumeAttachment.KIND, volume.name());
      boolean unused =
          observation.await(
              "volume " + volume.name(),
              CallReplies.waiting(),
              () -> isShared(attachment.latest()) ? Optional.empty() : Optional.of(true),
              () -> "the end of its share");
    }
  }

  private static boolean isShared(Optional<VolumeAttachment> attachment) {
    return attachment.stream()
        .flatMap(a -> a.spec().attachmentTickets().values().stream())
        .anyMatch(ticket -> ticket.type().equals(ShareManager.ATTACHER));
  }

  private void requireUnused(String volume) throws StorageException, StatusException {
    List<AttachmentTicket> holders =
        store.get(VolumeAttachment.KIND, volume).stream()
            .flatMap(a -> a.spec().attachmentTickets().values().stream())
            .filter(ticket -> WORKLOADS.contains(ticket.type()))
            .toList();
    if (!holders.isEmpty()) {
      throw CsiStatus.failedPrecondition(
          "volume "
              + volume
              + " is in use on "
              + holders.stream()
                  .map(CsiTickets::node)
                  .distinct()
                  .collect(Collectors.joining(", ")));
    }
    List<Snapshot> dependent = snapshots.ofVolume(volume);
    if (!dependent.isEmpty()) {
      throw CsiStatus.failedPrecondition(
          "volume "
              + volume
              + " has snapshots, which would go with it: "
              + dependent.stream().map(Snapshot::name).collect(Collectors.joining(", ")));
    }
    for (Volume copy : volumes.all()) {
      if (copy.awaitsContent()
          && copy.spec().cloneSource().filter(s -> s.volume().equals(volume)).isPresent()) {
        throw CsiStatus.failedPrecondition(
            "volume " + volume + " is being copied into volume " + copy.name());
      }
    }
  }
}
