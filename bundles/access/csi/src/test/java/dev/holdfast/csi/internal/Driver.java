package dev.holdfast.csi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.csi.internal.controller.ControllerService;
import dev.holdfast.csi.internal.node.NodeService;
import dev.holdfast.csi.internal.node.StagedVolumes;
import dev.holdfast.csi.internal.server.IdentityService;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.UnixServer;
import dev.holdfast.csi.internal.snapshot.GroupControllerService;
import dev.holdfast.csi.internal.snapshot.SnapshotMetadataService;
import dev.holdfast.csi.v1.ControllerGrpc;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.GroupControllerGrpc;
import dev.holdfast.csi.v1.IdentityGrpc;
import dev.holdfast.csi.v1.NodeGrpc;
import dev.holdfast.csi.v1.SnapshotMetadataGrpc;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.host.LocalHost;
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
public final class Driver implements AutoCloseable {
  public static final String NODE = "node-1";
  public static final long SIZE = 16L << 20;
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

  public final MemoryResourceStore store = new MemoryResourceStore();
  public final FakePlatform platform;
  private final UnixServer server;
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ManagedChannel channel;

  private Driver(Path directory, Host host) throws StorageException {
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
                    host,
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

  public static Driver start(Path directory) throws StorageException {
    return start(directory, new LocalHost());
  }

  /** Starts the driver of another host, such as a virtual machine. */
  public static Driver start(Path directory, Host host) throws StorageException {
    return new Driver(directory, host);
  }

  IdentityGrpc.IdentityBlockingStub identity() {
    return IdentityGrpc.newBlockingStub(channel);
  }

  public ControllerGrpc.ControllerBlockingStub controller() {
    return ControllerGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  /** A caller that the driver takes for one that does not wait long. */
  public ControllerGrpc.ControllerBlockingStub impatient() {
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

  public GroupControllerGrpc.GroupControllerBlockingStub groups() {
    return GroupControllerGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  public SnapshotMetadataGrpc.SnapshotMetadataBlockingStub metadata() {
    return SnapshotMetadataGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  public NodeGrpc.NodeBlockingStub node() {
    return NodeGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  /** Fails unless a call fails with a code and a message. */
  public static void refused(Status.Code code, String message, Supplier<?> call) {
    Throwable failure = catchThrowable(call::get);
    assertThat(failure).isInstanceOf(StatusRuntimeException.class);
    Status status = ((StatusRuntimeException) failure).getStatus();
    assertThat(status.getCode()).as(String.valueOf(status)).isEqualTo(code);
    assertThat(status.getDescription()).contains(message);
  }

  /** Repeats a call that is not done in time until it says what it waits for. */
  public static void waitsFor(String message, Supplier<?> call) {
    long begun = System.nanoTime();
    String said;
    do {
      Status status = Status.fromThrowable(catchThrowable(call::get));
      assertThat(status.getCode()).as("%s", status).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
      said = String.valueOf(status.getDescription());
    } while (!said.contains(message) && System.nanoTime() - begun < LONGEST_NANOS);
    assertThat(said).contains(message);
  }

  public static Csi.VolumeCapability mounted(Csi.VolumeCapability.AccessMode.Mode mode) {
    return Csi.VolumeCapability.newBuilder()
        .setMount(Csi.VolumeCapability.MountVolume.getDefaultInstance())
        .setAccessMode(Csi.VolumeCapability.AccessMode.newBuilder().setMode(mode))
        .build();
  }

  public static Csi.VolumeCapability block(Csi.VolumeCapability.AccessMode.Mode mode) {
    return mounted(mode).toBuilder()
        .setBlock(Csi.VolumeCapability.BlockVolume.getDefaultInstance())
        .build();
  }

  public static Csi.VolumeCapability writer() {
    return mounted(Csi.VolumeCapability.AccessMode.Mode.SINGLE_NODE_WRITER);
  }

  public static Csi.CreateVolumeRequest volume(
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
  public String created(String name) {
    return controller().createVolume(volume(name, request -> {})).getVolume().getVolumeId();
  }

  /** Takes a snapshot and returns its id. */
  public String taken(String name, String volume) {
    return controller()
        .createSnapshot(
            Csi.CreateSnapshotRequest.newBuilder().setName(name).setSourceVolumeId(volume).build())
        .getSnapshot()
        .getSnapshotId();
  }

  public static Csi.ControllerPublishVolumeRequest publication(
      String volume, String node, Csi.VolumeCapability capability) {
    return Csi.ControllerPublishVolumeRequest.newBuilder()
        .setVolumeId(volume)
        .setNodeId(node)
        .setVolumeCapability(capability)
        .build();
  }

  public void published(String volume, String node, Csi.VolumeCapability capability) {
    assertThat(controller().controllerPublishVolume(publication(volume, node, capability)))
        .isNotNull();
  }

  public void unpublished(String volume, String node) {
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
