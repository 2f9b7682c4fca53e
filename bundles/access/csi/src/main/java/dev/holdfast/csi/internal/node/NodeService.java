package dev.holdfast.csi.internal.node;

import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.ClassParameters;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.EncryptionKey;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.internal.server.Topology;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.NodeServiceCapability.RPC;
import dev.holdfast.csi.v1.NodeGrpc;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.host.LuksKey;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The node service: checks the fields, and serializes the calls for each volume. */
public final class NodeService extends NodeGrpc.NodeImplBase {
  private static final List<RPC.Type> CAPABILITIES =
      List.of(
          RPC.Type.STAGE_UNSTAGE_VOLUME,
          RPC.Type.GET_VOLUME_STATS,
          RPC.Type.EXPAND_VOLUME,
          RPC.Type.SINGLE_NODE_MULTI_WRITER,
          RPC.Type.GET_VOLUME_HEALTH,
          RPC.Type.GET_STORAGE_HEALTH);

  private final CsiVolumes volumes;
  private final InFlightCalls claims = new InFlightCalls();
  private final long mostVolumes;
  private final NodeStaging staging;
  private final NodePublishing publishing;
  private final NodeVolumes here;

  /**
   * Creates the service of a host.
   *
   * @param host this host
   * @param mostVolumes limit of volumes on this node, 0 for no limit
   */
  public NodeService(
      Host host,
      ResourceStore store,
      String node,
      HostInitiators initiators,
      StagedVolumes staged,
      long mostVolumes) {
    this.volumes = new CsiVolumes(store, new Topology(store));
    this.mostVolumes = mostVolumes;
    ShareStaging shares = new ShareStaging(host, store, staged);
    this.staging = new NodeStaging(host, store, node, initiators, staged, shares);
    this.publishing = new NodePublishing(host, staging, staged, shares);
    this.here =
        new NodeVolumes(host, store, node, initiators, staged, shares, new HostUsageMeter(host));
  }

  private static void requireId(String id) throws StatusException {
    if (id.isEmpty()) {
      throw CsiStatus.invalid("volume_id", "is missing");
    }
  }

  private static Path path(String field, String text) throws StatusException {
    if (text.isEmpty()) {
      throw CsiStatus.invalid(field, "is missing");
    }
    Path path = Path.of(text).normalize();
    if (!path.isAbsolute() || path.getNameCount() == 0) {
      throw CsiStatus.invalid(field, "must be an absolute path");
    }
    return path;
  }

  private <T> T alone(String volume, CallReplies.Call<T> call)
      throws StorageException, StatusException {
    return claims.on("volume " + volume + " on this node", call);
  }

  @Override
  public void nodeStageVolume(
      Csi.NodeStageVolumeRequest request, StreamObserver<Csi.NodeStageVolumeResponse> caller) {
    CallReplies.to(
        caller,
        () -> {
          requireId(request.getVolumeId());
          Path path = path("staging_target_path", request.getStagingTargetPath());
          RequestedAccess access =
              RequestedAccess.of(
                  "volume_capability",
                  request.hasVolumeCapability(),
                  request.getVolumeCapability());
          String filesystem = request.getVolumeContextOrDefault(ClassParameters.FILESYSTEM, "");
          RequestedAccess.checkFilesystem(
              "volume_context[" + ClassParameters.FILESYSTEM + "]", filesystem);
          Optional<LuksKey> key = EncryptionKey.of(request.getSecretsMap());
          return alone(
              request.getVolumeId(),
              () -> {
                staging.stage(
                    volumes.require(request.getVolumeId()),
                    path,
                    access,
                    request.getVolumeContextMap(),
                    key);
                return Csi.NodeStageVolumeResponse.getDefaultInstance();
              });
        });
  }

  /** Also cleans up this node if the volume is already deleted. */
  @Override
  public void nodeUnstageVolume(
      Csi.NodeUnstageVolumeRequest request, StreamObserver<Csi.NodeUnstageVolumeResponse> caller) {
    CallReplies.to(
        caller,
        () -> {
          requireId(request.getVolumeId());
          Path path = path("staging_target_path", request.getStagingTargetPath());
          return alone(
              request.getVolumeId(),
              () -> {
                staging.unstage(request.getVolumeId(), path);
                return Csi.NodeUnstageVolumeResponse.getDefaultInstance();
              });
        });
  }

  @Override
  public void nodePublishVolume(
      Csi.NodePublishVolumeRequest request, StreamObserver<Csi.NodePublishVolumeResponse> caller) {
    CallReplies.to(
        caller,
        () -> {
          requireId(request.getVolumeId());
          Path target = path("target_path", request.getTargetPath());
          RequestedAccess access =
              RequestedAccess.of(
                  "volume_capability",
                  request.hasVolumeCapability(),
                  request.getVolumeCapability());
          if (request.getStagingTargetPath().isEmpty()) {
            throw CsiStatus.failedPrecondition("staging_target_path: is missing");
          }
          Path stagingPath = path("staging_target_path", request.getStagingTargetPath());
          Optional<LuksKey> key = EncryptionKey.of(request.getSecretsMap());
          return alone(
              request.getVolumeId(),
              () -> {
                publishing.publish(
                    volumes.require(request.getVolumeId()),
                    stagingPath,
                    target,
                    access,
                    request.getReadonly(),
                    key);
                return Csi.NodePublishVolumeResponse.getDefaultInstance();
              });
        });
  }

  @Override
  public void nodeUnpublishVolume(
      Csi.NodeUnpublishVolumeRequest request,
      StreamObserver<Csi.NodeUnpublishVolumeResponse> caller) {
    CallReplies.to(
        caller,
        () -> {
          requireId(request.getVolumeId());
          Path target = path("target_path", request.getTargetPath());
          return alone(
              request.getVolumeId(),
              () -> {
                publishing.unpublish(request.getVolumeId(), target);
                return Csi.NodeUnpublishVolumeResponse.getDefaultInstance();
              });
        });
  }

  @Override
  public void nodeGetVolumeStats(
      Csi.NodeGetVolumeStatsRequest request,
      StreamObserver<Csi.NodeGetVolumeStatsResponse> caller) {
    CallReplies.to(
        caller,
        () -> {
          requireId(request.getVolumeId());
          if (request.getVolumePath().isEmpty()) {
            throw CsiStatus.invalid("volume_path", "is missing");
          }
          return here.stats(volumes.require(request.getVolumeId()), request.getVolumePath());
        });
  }

  @Override
  public void nodeExpandVolume(
      Csi.NodeExpandVolumeRequest request, StreamObserver<Csi.NodeExpandVolumeResponse> caller) {
    CallReplies.to(
        caller,
        () -> {
          Volume volume = volumes.require(request.getVolumeId());
          if (request.getVolumePath().isEmpty()) {
            throw CsiStatus.invalid("volume_path", "is missing");
          }
          return alone(
              volume.name(),
              () -> here.expand(volume, request.getVolumePath(), request.getCapacityRange()));
        });
  }

  @Override
  public void nodeGetVolumeHealth(
      Csi.NodeGetVolumeHealthRequest request,
      StreamObserver<Csi.NodeGetVolumeHealthResponse> caller) {
    CallReplies.to(caller, () -> here.health(volumes.require(request.getVolumeId())));
  }

  @Override
  public void nodeGetStorageHealth(
      Csi.NodeGetStorageHealthRequest request,
      StreamObserver<Csi.NodeGetStorageHealthResponse> caller) {
    CallReplies.to(caller, here::storageHealth);
  }

  @Override
  public void nodeGetInfo(
      Csi.NodeGetInfoRequest request, StreamObserver<Csi.NodeGetInfoResponse> caller) {
    CallReplies.to(caller, () -> here.info(mostVolumes));
  }

  @Override
  public void nodeGetCapabilities(
      Csi.NodeGetCapabilitiesRequest request,
      StreamObserver<Csi.NodeGetCapabilitiesResponse> caller) {
    CallReplies.to(
        caller,
        () -> {
          var answer = Csi.NodeGetCapabilitiesResponse.newBuilder();
          for (RPC.Type type : CAPABILITIES) {
            answer.addCapabilities(
                Csi.NodeServiceCapability.newBuilder().setRpc(RPC.newBuilder().setType(type)));
          }
          return answer.build();
        });
  }
}
