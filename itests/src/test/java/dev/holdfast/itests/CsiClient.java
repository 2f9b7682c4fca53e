package dev.holdfast.itests;

import dev.holdfast.csi.v1.ControllerGrpc;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.csi.v1.GroupControllerGrpc;
import dev.holdfast.csi.v1.NodeGrpc;
import dev.holdfast.csi.v1.PluginRegistration;
import dev.holdfast.csi.v1.RegistrationGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An orchestrator that makes every call twice, as one does whose first answer was lost, and waits
 * for a driver that is away.
 */
final class CsiClient implements AutoCloseable {
  private static final String NODE = "node-1";
  private static final long SECONDS = 90;

  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ManagedChannel channel;
  private final Csi.VolumeCapability capability;

  CsiClient(Path socket, Csi.VolumeCapability capability) {
    this.capability = capability;
    channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioDomainSocketChannel.class)
            .eventLoopGroup(loops)
            .usePlaintext()
            .build();
  }

  static Csi.VolumeCapability filesystem(String type) {
    return Csi.VolumeCapability.newBuilder()
        .setMount(Csi.VolumeCapability.MountVolume.newBuilder().setFsType(type))
        .setAccessMode(
            Csi.VolumeCapability.AccessMode.newBuilder().setMode(Mode.SINGLE_NODE_WRITER))
        .build();
  }

  static Csi.VolumeCapability block() {
    return filesystem("").toBuilder()
        .setBlock(Csi.VolumeCapability.BlockVolume.getDefaultInstance())
        .build();
  }

  private ControllerGrpc.ControllerBlockingStub controller() {
    return ControllerGrpc.newBlockingStub(channel)
        .withWaitForReady()
        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
  }

  private NodeGrpc.NodeBlockingStub node() {
    return NodeGrpc.newBlockingStub(channel)
        .withWaitForReady()
        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
  }

  private interface Call<T> {
    T answer();
  }

  private static <T> T twice(Call<T> call) {
    T first = call.answer();
    T second = call.answer();
    if (!first.equals(second)) {
      throw new AssertionError("answered " + first + ", then " + second);
    }
    return second;
  }

  /** Creates a volume with one replica, from a snapshot unless that is empty. */
  String create(String name, long bytes, String snapshot) {
    Csi.CreateVolumeRequest.Builder request =
        Csi.CreateVolumeRequest.newBuilder()
            .setName(name)
            .addVolumeCapabilities(capability)
            .putParameters("numberOfReplicas", "1");
    request.getCapacityRangeBuilder().setRequiredBytes(bytes);
    if (!snapshot.isEmpty()) {
      request.getVolumeContentSourceBuilder().getSnapshotBuilder().setSnapshotId(snapshot);
    }
    return twice(() -> controller().createVolume(request.build())).getVolume().getVolumeId();
  }

  /** Attaches a volume. */
  void attach(String volume) {
    twice(
        () ->
            controller()
                .controllerPublishVolume(
                    Csi.ControllerPublishVolumeRequest.newBuilder()
                        .setVolumeId(volume)
                        .setNodeId(NODE)
                        .setVolumeCapability(capability)
                        .build()));
  }

  void stage(String volume, Path staging) {
    twice(
        () ->
            node()
                .nodeStageVolume(
                    Csi.NodeStageVolumeRequest.newBuilder()
                        .setVolumeId(volume)
                        .setStagingTargetPath(staging.toString())
                        .setVolumeCapability(capability)
                        .build()));
  }

  void publish(String volume, Path staging, Path target) {
    twice(
        () ->
            node()
                .nodePublishVolume(
                    Csi.NodePublishVolumeRequest.newBuilder()
                        .setVolumeId(volume)
                        .setStagingTargetPath(staging.toString())
                        .setTargetPath(target.toString())
                        .setVolumeCapability(capability)
                        .build()));
  }

  void unpublish(String volume, Path target) {
    twice(
        () ->
            node()
                .nodeUnpublishVolume(
                    Csi.NodeUnpublishVolumeRequest.newBuilder()
                        .setVolumeId(volume)
                        .setTargetPath(target.toString())
                        .build()));
  }

  void unstage(String volume, Path staging) {
    twice(
        () ->
            node()
                .nodeUnstageVolume(
                    Csi.NodeUnstageVolumeRequest.newBuilder()
                        .setVolumeId(volume)
                        .setStagingTargetPath(staging.toString())
                        .build()));
  }

  void detach(String volume) {
    twice(
        () ->
            controller()
                .controllerUnpublishVolume(
                    Csi.ControllerUnpublishVolumeRequest.newBuilder()
                        .setVolumeId(volume)
                        .setNodeId(NODE)
                        .build()));
  }

  void delete(String volume) {
    twice(
        () ->
            controller()
                .deleteVolume(Csi.DeleteVolumeRequest.newBuilder().setVolumeId(volume).build()));
  }

  /** Lets a volume that is mounted somewhere grow, its filesystem too. */
  void expand(String volume, Path target, long bytes) {
    Csi.CapacityRange range = Csi.CapacityRange.newBuilder().setRequiredBytes(bytes).build();
    twice(
        () ->
            controller()
                .controllerExpandVolume(
                    Csi.ControllerExpandVolumeRequest.newBuilder()
                        .setVolumeId(volume)
                        .setCapacityRange(range)
                        .build()));
    twice(
        () ->
            node()
                .nodeExpandVolume(
                    Csi.NodeExpandVolumeRequest.newBuilder()
                        .setVolumeId(volume)
                        .setVolumePath(target.toString())
                        .setCapacityRange(range)
                        .build()));
  }

  String snapshot(String name, String volume) {
    return twice(
            () ->
                controller()
                    .createSnapshot(
                        Csi.CreateSnapshotRequest.newBuilder()
                            .setName(name)
                            .setSourceVolumeId(volume)
                            .build()))
        .getSnapshot()
        .getSnapshotId();
  }

  /** Makes a backup of a volume, and waits until it is complete as the orchestrator does. */
  String backup(String name, String volume) {
    AtomicReference<Csi.Snapshot> made = new AtomicReference<>();
    Await.until(
        "the backup is complete",
        Duration.ofSeconds(SECONDS),
        () -> {
          made.set(
              controller()
                  .createSnapshot(
                      Csi.CreateSnapshotRequest.newBuilder()
                          .setName(name)
                          .setSourceVolumeId(volume)
                          .putParameters("type", "bak")
                          .build())
                  .getSnapshot());
          return made.get().getReadyToUse();
        });
    return made.get().getSnapshotId();
  }

  void deleteSnapshot(String snapshot) {
    twice(
        () ->
            controller()
                .deleteSnapshot(
                    Csi.DeleteSnapshotRequest.newBuilder().setSnapshotId(snapshot).build()));
  }

  /** Takes consistent snapshots of several volumes. */
  Csi.VolumeGroupSnapshot group(String name, String... volumes) {
    return twice(
            () ->
                GroupControllerGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                    .createVolumeGroupSnapshot(
                        Csi.CreateVolumeGroupSnapshotRequest.newBuilder()
                            .setName(name)
                            .addAllSourceVolumeIds(java.util.List.of(volumes))
                            .build()))
        .getGroupSnapshot();
  }

  void deleteGroup(String group) {
    twice(
        () ->
            GroupControllerGrpc.newBlockingStub(channel)
                .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                .deleteVolumeGroupSnapshot(
                    Csi.DeleteVolumeGroupSnapshotRequest.newBuilder()
                        .setGroupSnapshotId(group)
                        .build()));
  }

  /** Requests the plugin's identity as the kubelet does. */
  PluginRegistration.PluginInfo plugin() {
    return RegistrationGrpc.newBlockingStub(channel)
        .withWaitForReady()
        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
        .getInfo(PluginRegistration.InfoRequest.getDefaultInstance());
  }

  @Override
  public void close() {
    channel.shutdownNow();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
