package dev.holdfast.csi.internal.controller;

import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.CapabilityCheck;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.Topology;
import dev.holdfast.csi.internal.snapshot.CsiSnapshots;
import dev.holdfast.csi.v1.ControllerGrpc;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.ControllerServiceCapability.RPC;
import dev.holdfast.store.ResourceStore;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** The controller service: delegates each call to the class for its subject. Thread-safe. */
public final class ControllerService extends ControllerGrpc.ControllerImplBase {
  private static final List<RPC.Type> CAPABILITIES =
      List.of(
          RPC.Type.CREATE_DELETE_VOLUME,
          RPC.Type.PUBLISH_UNPUBLISH_VOLUME,
          RPC.Type.LIST_VOLUMES,
          RPC.Type.LIST_VOLUMES_PUBLISHED_NODES,
          RPC.Type.GET_VOLUME,
          RPC.Type.GET_VOLUME_HEALTH,
          RPC.Type.LIST_VOLUME_HEALTH,
          RPC.Type.GET_CAPACITY,
          RPC.Type.CREATE_DELETE_SNAPSHOT,
          RPC.Type.LIST_SNAPSHOTS,
          RPC.Type.GET_SNAPSHOT,
          RPC.Type.CLONE_VOLUME,
          RPC.Type.PUBLISH_READONLY,
          RPC.Type.EXPAND_VOLUME,
          RPC.Type.SINGLE_NODE_MULTI_WRITER,
          RPC.Type.MODIFY_VOLUME);

  private final VolumeProvisioning provisioning;
  private final VolumeDeletion deletion;
  private final VolumePublishing publishing;
  private final VolumeExpansion expansion;
  private final VolumeListing listing;
  private final CapabilityCheck check;
  private final CsiSnapshots snapshots;

  /**
   * Creates the service.
   *
   * @param claims of this process, shared with the group controller
   * @param mostPerNode limit of volumes on one node, 0 for no limit
   */
  public ControllerService(ResourceStore store, InFlightCalls claims, long mostPerNode) {
    Topology topology = new Topology(store);
    CsiVolumes volumes = new CsiVolumes(store, topology);
    snapshots = new CsiSnapshots(store, volumes, topology, claims);
    provisioning = new VolumeProvisioning(store, volumes, snapshots, topology, claims);
    deletion = new VolumeDeletion(store, volumes, snapshots, claims);
    publishing = new VolumePublishing(store, volumes, claims, mostPerNode);
    expansion = new VolumeExpansion(store, volumes, claims);
    listing = new VolumeListing(store, volumes, topology);
    check = new CapabilityCheck(volumes);
  }

  @Override
  public void controllerGetCapabilities(
      Csi.ControllerGetCapabilitiesRequest request,
      StreamObserver<Csi.ControllerGetCapabilitiesResponse> caller) {
    CallReplies.to(
        caller,
        () -> {
          var answer = Csi.ControllerGetCapabilitiesResponse.newBuilder();
          for (RPC.Type type : CAPABILITIES) {
            answer.addCapabilities(
                Csi.ControllerServiceCapability.newBuilder()
                    .setRpc(RPC.newBuilder().setType(type)));
          }
          return answer.build();
        });
  }

  @Override
  public void createVolume(
      Csi.CreateVolumeRequest request, StreamObserver<Csi.CreateVolumeResponse> caller) {
    CallReplies.to(caller, () -> provisioning.create(request));
  }

  @Override
  public void deleteVolume(
      Csi.DeleteVolumeRequest request, StreamObserver<Csi.DeleteVolumeResponse> caller) {
    CallReplies.to(caller, () -> deletion.delete(request));
  }

  @Override
  public void controllerPublishVolume(
      Csi.ControllerPublishVolumeRequest request,
      StreamObserver<Csi.ControllerPublishVolumeResponse> caller) {
    CallReplies.to(caller, () -> publishing.publish(request));
  }

  @Override
  public void controllerUnpublishVolume(
      Csi.ControllerUnpublishVolumeRequest request,
      StreamObserver<Csi.ControllerUnpublishVolumeResponse> caller) {
    CallReplies.to(caller, () -> publishing.unpublish(request));
  }

  @Override
  public void validateVolumeCapabilities(
      Csi.ValidateVolumeCapabilitiesRequest request,
      StreamObserver<Csi.ValidateVolumeCapabilitiesResponse> caller) {
    CallReplies.to(caller, () -> check.validate(request));
  }

  @Override
  public void listVolumes(
      Csi.ListVolumesRequest request, StreamObserver<Csi.ListVolumesResponse> caller) {
    CallReplies.to(caller, () -> listing.list(request));
  }

  @Override
  public void controllerGetVolume(
      Csi.ControllerGetVolumeRequest request,
      StreamObserver<Csi.ControllerGetVolumeResponse> caller) {
    CallReplies.to(caller, () -> listing.get(request));
  }

  @Override
  public void controllerGetVolumeHealth(
      Csi.ControllerGetVolumeHealthRequest request,
      StreamObserver<Csi.ControllerGetVolumeHealthResponse> caller) {
    CallReplies.to(caller, () -> listing.health(request));
  }

  @Override
  public void controllerListVolumeHealth(
      Csi.ControllerListVolumeHealthRequest request,
      StreamObserver<Csi.ControllerListVolumeHealthResponse> caller) {
    CallReplies.to(caller, () -> listing.listHealth(request));
  }

  @Override
  public void getCapacity(
      Csi.GetCapacityRequest request, StreamObserver<Csi.GetCapacityResponse> caller) {
    CallReplies.to(caller, () -> listing.capacity(request));
  }

  @Override
  public void createSnapshot(
      Csi.CreateSnapshotRequest request, StreamObserver<Csi.CreateSnapshotResponse> caller) {
    CallReplies.to(caller, () -> snapshots.create(request));
  }

  @Override
  public void deleteSnapshot(
      Csi.DeleteSnapshotRequest request, StreamObserver<Csi.DeleteSnapshotResponse> caller) {
    CallReplies.to(caller, () -> snapshots.delete(request));
  }

  @Override
  public void listSnapshots(
      Csi.ListSnapshotsRequest request, StreamObserver<Csi.ListSnapshotsResponse> caller) {
    CallReplies.to(caller, () -> snapshots.list(request));
  }

  @Override
  public void getSnapshot(
      Csi.GetSnapshotRequest request, StreamObserver<Csi.GetSnapshotResponse> caller) {
    CallReplies.to(caller, () -> snapshots.get(request));
  }

  @Override
  public void controllerExpandVolume(
      Csi.ControllerExpandVolumeRequest request,
      StreamObserver<Csi.ControllerExpandVolumeResponse> caller) {
    CallReplies.to(caller, () -> expansion.expand(request));
  }

  @Override
  public void controllerModifyVolume(
      Csi.ControllerModifyVolumeRequest request,
      StreamObserver<Csi.ControllerModifyVolumeResponse> caller) {
    CallReplies.to(caller, () -> provisioning.modify(request));
  }
}
