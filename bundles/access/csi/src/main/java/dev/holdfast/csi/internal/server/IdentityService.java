package dev.holdfast.csi.internal.server;

import com.google.protobuf.BoolValue;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.PluginCapability.Service;
import dev.holdfast.csi.v1.IdentityGrpc;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.ResourceStore;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** Identity of the driver. Thread-safe. */
public final class IdentityService extends IdentityGrpc.IdentityImplBase {
  private static final List<Service.Type> SERVICES =
      List.of(
          Service.Type.CONTROLLER_SERVICE,
          Service.Type.VOLUME_ACCESSIBILITY_CONSTRAINTS,
          Service.Type.GROUP_CONTROLLER_SERVICE,
          Service.Type.SNAPSHOT_METADATA_SERVICE,
          Service.Type.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS);

  private final ResourceStore store;
  private final String node;
  private final String version;

  public IdentityService(ResourceStore store, String node, String version) {
    this.store = store;
    this.node = node;
    this.version = version;
  }

  @Override
  public void getPluginInfo(
      Csi.GetPluginInfoRequest request, StreamObserver<Csi.GetPluginInfoResponse> caller) {
    CallReplies.to(
        caller,
        () ->
            Csi.GetPluginInfoResponse.newBuilder()
                .setName(CsiNames.DRIVER)
                .setVendorVersion(version)
                .build());
  }

  @Override
  public void getPluginCapabilities(
      Csi.GetPluginCapabilitiesRequest request,
      StreamObserver<Csi.GetPluginCapabilitiesResponse> caller) {
    CallReplies.to(
        caller,
        () -> {
          Csi.GetPluginCapabilitiesResponse.Builder answer =
              Csi.GetPluginCapabilitiesResponse.newBuilder();
          for (Service.Type type : SERVICES) {
            answer.addCapabilities(
                Csi.PluginCapability.newBuilder().setService(Service.newBuilder().setType(type)));
          }
          return answer
              .addCapabilities(
                  Csi.PluginCapability.newBuilder()
                      .setVolumeExpansion(
                          Csi.PluginCapability.VolumeExpansion.newBuilder()
                              .setType(Csi.PluginCapability.VolumeExpansion.Type.ONLINE)))
              .build();
        });
  }

  /** Ready if the store answers and contains this node, because other calls need both. */
  @Override
  public void probe(Csi.ProbeRequest request, StreamObserver<Csi.ProbeResponse> caller) {
    CallReplies.to(
        caller,
        () ->
            Csi.ProbeResponse.newBuilder()
                .setReady(BoolValue.newBuilder().setValue(isReady()))
                .build());
  }

  private boolean isReady() {
    try {
      return store.get(Node.KIND, node).isPresent();
    } catch (StorageException e) {
      return false; // the caller repeats the call
    }
  }
}
