package dev.holdfast.csi.internal.snapshot;

import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.Topology;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.GroupControllerServiceCapability.RPC;
import dev.holdfast.csi.v1.GroupControllerGrpc;
import dev.holdfast.store.ResourceStore;
import io.grpc.stub.StreamObserver;

/** The group controller service. Thread-safe. */
public final class GroupControllerService extends GroupControllerGrpc.GroupControllerImplBase {
  private final GroupSnapshots groups;

  /** Creates the service; the claims are shared with the controller service. */
  public GroupControllerService(ResourceStore store, InFlightCalls claims) {
    Topology topology = new Topology(store);
    CsiVolumes volumes = new CsiVolumes(store, topology);
    groups = new GroupSnapshots(store, new CsiSnapshots(store, volumes, topology, claims), claims);
  }

  @Override
  public void groupControllerGetCapabilities(
      Csi.GroupControllerGetCapabilitiesRequest request,
      StreamObserver<Csi.GroupControllerGetCapabilitiesResponse> caller) {
    CallReplies.to(
        caller,
        () ->
            Csi.GroupControllerGetCapabilitiesResponse.newBuilder()
                .addCapabilities(
                    Csi.GroupControllerServiceCapability.newBuilder()
                        .setRpc(
                            RPC.newBuilder()
                                .setType(RPC.Type.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT)))
                .build());
  }

  @Override
  public void createVolumeGroupSnapshot(
      Csi.CreateVolumeGroupSnapshotRequest request,
      StreamObserver<Csi.CreateVolumeGroupSnapshotResponse> caller) {
    CallReplies.to(caller, () -> groups.create(request));
  }

  @Override
  public void deleteVolumeGroupSnapshot(
      Csi.DeleteVolumeGroupSnapshotRequest request,
      StreamObserver<Csi.DeleteVolumeGroupSnapshotResponse> caller) {
    CallReplies.to(caller, () -> groups.delete(request));
  }

  @Override
  public void getVolumeGroupSnapshot(
      Csi.GetVolumeGroupSnapshotRequest request,
      StreamObserver<Csi.GetVolumeGroupSnapshotResponse> caller) {
    CallReplies.to(caller, () -> groups.get(request));
  }
}
