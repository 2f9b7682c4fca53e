package dev.holdfast.itests;

import dev.holdfast.csi.v1.ControllerGrpc;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.IdentityGrpc;
import dev.holdfast.csi.v1.NodeGrpc;
import dev.holdfast.csi.v1.PluginRegistration;
import dev.holdfast.csi.v1.RegistrationGrpc;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The least that can be a CSI driver: a volume is a directory of the node, and nothing is mounted.
 * What an orchestrator needs for it is what it needs for any driver. It serves the nodes of a
 * sandbox from this process, by sockets in their folders.
 */
final class DirectoryDriver implements AutoCloseable {
  static final String NAME = "directories.example.com";

  private static final Csi.ControllerServiceCapability.RPC.Type[] CAPABILITIES = {
    Csi.ControllerServiceCapability.RPC.Type.CREATE_DELETE_VOLUME,
    Csi.ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME,
  };

  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ExecutorService calls = Executors.newCachedThreadPool();
  private final List<Server> servers = new ArrayList<>();
  private final List<Path> sockets = new ArrayList<>();
  private final AtomicInteger published = new AtomicInteger();

  private DirectoryDriver() {}

  /** Serves the nodes that a sandbox has in a directory. */
  static DirectoryDriver start(Path data, int nodes) throws IOException {
    DirectoryDriver driver = new DirectoryDriver();
    for (int node = 1; node <= nodes; node++) {
      Path root = data.resolve("node-" + node);
      Path kubelet = root.resolve("var/lib/kubelet");
      driver.serve(
          kubelet.resolve("plugins/dirs/csi.sock"),
          new Identity(),
          new Controller(),
          driver.new Node("node-" + node, root));
      driver.serve(kubelet.resolve("plugins_registry/dirs.sock"), new Registration());
    }
    return driver;
  }

  /** Returns how often it made a volume seen by a pod. */
  int published() {
    return published.get();
  }

  private void serve(Path socket, BindableService... services) throws IOException {
    Files.createDirectories(socket.getParent());
    Files.deleteIfExists(socket);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .executor(calls);
    List.of(services).forEach(builder::addService);
    sockets.add(socket);
    servers.add(builder.build().start());
  }

  /** Kubelets forget a driver whose socket is gone. */
  @Override
  public void close() throws IOException {
    servers.forEach(Server::shutdownNow);
    for (Path socket : sockets) {
      Files.deleteIfExists(socket);
    }
    calls.shutdownNow();
    var unused = loops.shutdownGracefully();
  }

  private static <T> void answer(StreamObserver<T> caller, T answer) {
    caller.onNext(answer);
    caller.onCompleted();
  }

  private static final class Registration extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void getInfo(
        PluginRegistration.InfoRequest request,
        StreamObserver<PluginRegistration.PluginInfo> caller) {
      answer(
          caller,
          PluginRegistration.PluginInfo.newBuilder()
              .setType("CSIPlugin")
              .setName(NAME)
              .setEndpoint("/var/lib/kubelet/plugins/dirs/csi.sock")
              .addSupportedVersions("1.0.0")
              .build());
    }

    @Override
    public void notifyRegistrationStatus(
        PluginRegistration.RegistrationStatus request,
        StreamObserver<PluginRegistration.RegistrationStatusResponse> caller) {
      answer(caller, PluginRegistration.RegistrationStatusResponse.getDefaultInstance());
    }
  }

  private static final class Identity extends IdentityGrpc.IdentityImplBase {
    @Override
    public void getPluginInfo(
        Csi.GetPluginInfoRequest request, StreamObserver<Csi.GetPluginInfoResponse> caller) {
      answer(
          caller,
          Csi.GetPluginInfoResponse.newBuilder().setName(NAME).setVendorVersion("1").build());
    }

    @Override
    public void getPluginCapabilities(
        Csi.GetPluginCapabilitiesRequest request,
        StreamObserver<Csi.GetPluginCapabilitiesResponse> caller) {
      Csi.GetPluginCapabilitiesResponse.Builder answer =
          Csi.GetPluginCapabilitiesResponse.newBuilder();
      answer
          .addCapabilitiesBuilder()
          .getServiceBuilder()
          .setType(Csi.PluginCapability.Service.Type.CONTROLLER_SERVICE);
      answer(caller, answer.build());
    }

    @Override
    public void probe(Csi.ProbeRequest request, StreamObserver<Csi.ProbeResponse> caller) {
      answer(caller, Csi.ProbeResponse.getDefaultInstance());
    }
  }

  private static final class Controller extends ControllerGrpc.ControllerImplBase {
    @Override
    public void controllerGetCapabilities(
        Csi.ControllerGetCapabilitiesRequest request,
        StreamObserver<Csi.ControllerGetCapabilitiesResponse> caller) {
      Csi.ControllerGetCapabilitiesResponse.Builder answer =
          Csi.ControllerGetCapabilitiesResponse.newBuilder();
      for (Csi.ControllerServiceCapability.RPC.Type type : CAPABILITIES) {
        answer.addCapabilitiesBuilder().getRpcBuilder().setType(type);
      }
      answer(caller, answer.build());
    }

    @Override
    public void createVolume(
        Csi.CreateVolumeRequest request, StreamObserver<Csi.CreateVolumeResponse> caller) {
      Csi.CreateVolumeResponse.Builder answer = Csi.CreateVolumeResponse.newBuilder();
      answer
          .getVolumeBuilder()
          .setVolumeId(request.getName())
          .setCapacityBytes(request.getCapacityRange().getRequiredBytes());
      answer(caller, answer.build());
    }

    @Override
    public void deleteVolume(
        Csi.DeleteVolumeRequest request, StreamObserver<Csi.DeleteVolumeResponse> caller) {
      answer(caller, Csi.DeleteVolumeResponse.getDefaultInstance());
    }

    @Override
    public void controllerPublishVolume(
        Csi.ControllerPublishVolumeRequest request,
        StreamObserver<Csi.ControllerPublishVolumeResponse> caller) {
      answer(caller, Csi.ControllerPublishVolumeResponse.getDefaultInstance());
    }

    @Override
    public void controllerUnpublishVolume(
        Csi.ControllerUnpublishVolumeRequest request,
        StreamObserver<Csi.ControllerUnpublishVolumeResponse> caller) {
      answer(caller, Csi.ControllerUnpublishVolumeResponse.getDefaultInstance());
    }
  }

  private final class Node extends NodeGrpc.NodeImplBase {
    private final String name;
    private final Path root;

    Node(String name, Path root) {
      this.name = name;
      this.root = root;
    }

    @Override
    public void nodeGetInfo(
        Csi.NodeGetInfoRequest request, StreamObserver<Csi.NodeGetInfoResponse> caller) {
      answer(caller, Csi.NodeGetInfoResponse.newBuilder().setNodeId(name).build());
    }

    @Override
    public void nodeGetCapabilities(
        Csi.NodeGetCapabilitiesRequest request,
        StreamObserver<Csi.NodeGetCapabilitiesResponse> caller) {
      answer(caller, Csi.NodeGetCapabilitiesResponse.getDefaultInstance());
    }

    @Override
    public void nodePublishVolume(
        Csi.NodePublishVolumeRequest request,
        StreamObserver<Csi.NodePublishVolumeResponse> caller) {
      try {
        Files.createDirectories(here(request.getTargetPath()));
        published.incrementAndGet();
        answer(caller, Csi.NodePublishVolumeResponse.getDefaultInstance());
      } catch (IOException e) {
        caller.onError(e);
      }
    }

    @Override
    public void nodeUnpublishVolume(
        Csi.NodeUnpublishVolumeRequest request,
        StreamObserver<Csi.NodeUnpublishVolumeResponse> caller) {
      try {
        Files.deleteIfExists(here(request.getTargetPath()));
        answer(caller, Csi.NodeUnpublishVolumeResponse.getDefaultInstance());
      } catch (IOException e) {
        caller.onError(e);
      }
    }

    /** A path of the node as this process sees it. */
    private Path here(String path) {
      return root.resolve(path.substring(1));
    }
  }
}
