package dev.holdfast.csi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.commands.HostInitiators;
import dev.holdfast.csi.v1.ControllerGrpc;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.GroupControllerGrpc;
import dev.holdfast.csi.v1.IdentityGrpc;
import dev.holdfast.csi.v1.NodeGrpc;
import dev.holdfast.csi.v1.SnapshotMetadataGrpc;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import dev.holdfast.store.memory.MemoryResourceStore;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The driver on a real socket, over a store in memory and a platform that plays its part. */
final class Driver implements AutoCloseable {
  static final String NODE = "node-1";
  static final long SIZE = 16L << 20;
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

  final MemoryResourceStore store = new MemoryResourceStore();
  final FakePlatform platform;
  private final UnixServer server;
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ManagedChannel channel;

  private Driver(Path directory) throws StorageException {
    platform = new FakePlatform(store);
    platform.addNode(NODE);
    platform.addNode("node-2");
    InFlightCalls claims = new InFlightCalls();
    Path socket = directory.resolve("csi.sock");
    ControllerService controllers = new ControllerService(store, claims, 2);
    server =
        UnixServer.start(
            socket,
            List.of(
                new IdentityService(store, NODE, "1.2.3"),
                () -> ServerInterceptors.intercept(controllers, new Impatience(loops)),
                new GroupControllerService(store, claims),
                new SnapshotMetadataService(store, claims),
                new NodeService(
                    store,
                    NODE,
                    new HostInitiators(List.of()),
                    new StagedVolumes(new HostState(directory.resolve("csi"))),
                    2)));
    channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioDomainSocketChannel.class)
            .eventLoopGroup(loops)
            .usePlaintext()
            .build();
  }

  static Driver start(Path directory) throws StorageException {
    return new Driver(directory);
  }

  IdentityGrpc.IdentityBlockingStub identity() {
    return IdentityGrpc.newBlockingStub(channel);
  }

  ControllerGrpc.ControllerBlockingStub controller() {
    return ControllerGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  /** A caller that the driver takes for one that does not wait long. */
  ControllerGrpc.ControllerBlockingStub impatient() {
    Metadata headers = new Metadata();
    headers.put(Impatience.KEY, "yes");
    return controller().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** Ends the patience of some callers early, who then have all the time to hear the answer. */
  private record Impatience(ScheduledExecutorService timer) implements ServerInterceptor {
    private static final Metadata.Key<String> KEY =
        Metadata.Key.of("impatient", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      Context patience =
          headers.containsKey(KEY)
              ? Context.current().withDeadlineAfter(500, TimeUnit.MILLISECONDS, timer)
              : Context.current();
      return Contexts.interceptCall(patience, call, headers, next);
    }
  }

  GroupControllerGrpc.GroupControllerBlockingStub groups() {
    return GroupControllerGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  SnapshotMetadataGrpc.SnapshotMetadataBlockingStub metadata() {
    return SnapshotMetadataGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  NodeGrpc.NodeBlockingStub node() {
    return NodeGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  /** Fails unless a call fails with a code and a message. */
  static void refused(Status.Code code, String message, Supplier<?> call) {
    Throwable failure = catchThrowable(call::get);
    assertThat(failure).isInstanceOf(StatusRuntimeException.class);
    Status status = ((StatusRuntimeException) failure).getStatus();
    assertThat(status.getCode()).as(String.valueOf(status)).isEqualTo(code);
    assertThat(status.getDescription()).contains(message);
  }

  /** Repeats a call that is not done in time until it says what it waits for. */
  static void waitsFor(String message, Supplier<?> call) {
    long begun = System.nanoTime();
    String said;
    do {
      Status status = Status.fromThrowable(catchThrowable(call::get));
      assertThat(status.getCode()).as("%s", status).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
      said = String.valueOf(status.getDescription());
    } while (!said.contains(message) && System.nanoTime() - begun < LONGEST_NANOS);
    assertThat(said).contains(message);
  }

  static Csi.VolumeCapability mounted(Csi.VolumeCapability.AccessMode.Mode mode) {
    return Csi.VolumeCapability.newBuilder()
        .setMount(Csi.VolumeCapability.MountVolume.getDefaultInstance())
        .setAccessMode(Csi.VolumeCapability.AccessMode.newBuilder().setMode(mode))
        .build();
  }

  static Csi.VolumeCapability block(Csi.VolumeCapability.AccessMode.Mode mode) {
    return mounted(mode).toBuilder()
        .setBlock(Csi.VolumeCapability.BlockVolume.getDefaultInstance())
        .build();
  }

  static Csi.VolumeCapability writer() {
    return mounted(Csi.VolumeCapability.AccessMode.Mode.SINGLE_NODE_WRITER);
  }

  static Csi.CreateVolumeRequest volume(
      String name, Consumer<Csi.CreateVolumeRequest.Builder> change) {
    Csi.CreateVolumeRequest.Builder request =
        Csi.CreateVolumeRequest.newBuilder()
            .setName(name)
            .setCapacityRange(Csi.CapacityRange.newBuilder().setRequiredBytes(SIZE))
            .addVolumeCapabilities(writer());
    change.accept(request);
    return request.build();
  }

  /** Creates a volume and returns its id. */
  String created(String name) {
    return controller().createVolume(volume(name, request -> {})).getVolume().getVolumeId();
  }

  /** Takes a snapshot and returns its id. */
  String taken(String name, String volume) {
    return controller()
        .createSnapshot(
            Csi.CreateSnapshotRequest.newBuilder().setName(name).setSourceVolumeId(volume).build())
        .getSnapshot()
        .getSnapshotId();
  }

  static Csi.ControllerPublishVolumeRequest publication(
      String volume, String node, Csi.VolumeCapability capability) {
    return Csi.ControllerPublishVolumeRequest.newBuilder()
        .setVolumeId(volume)
        .setNodeId(node)
        .setVolumeCapability(capability)
        .build();
  }

  void published(String volume, String node, Csi.VolumeCapability capability) {
    assertThat(controller().controllerPublishVolume(publication(volume, node, capability)))
        .isNotNull();
  }

  void unpublished(String volume, String node) {
    assertThat(
            controller()
                .controllerUnpublishVolume(
                    Csi.ControllerUnpublishVolumeRequest.newBuilder()
                        .setVolumeId(volume)
                        .setNodeId(node)
                        .build()))
        .isNotNull();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.close();
    platform.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    store.close();
  }
}
