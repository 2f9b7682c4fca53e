package dev.holdfast.engine.lvm.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.engine.ForwardRequest;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.lvm.internal.forward.AdmittedNodes;
import dev.holdfast.engine.lvm.internal.forward.RemoteVolumeDevice;
import dev.holdfast.engine.lvm.internal.forward.RpcVolumeLinks;
import dev.holdfast.engine.lvm.internal.forward.VolumeServer;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.runtime.PeerChannels;
import dev.holdfast.rpc.runtime.RpcServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Volumes that node-2 has open, as devices of node-1, which calls node-2 over TLS. */
final class ForwardingLab implements AutoCloseable {
  static final String NEAR = "node-1";
  private static final String FAR = "node-2";
  private static final Duration LIMIT = Duration.ofSeconds(20);

  final AdmittedNodes admitted = new AdmittedNodes();
  private final Path folder;
  private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);
  private final RpcServer server;
  private final PeerChannels channels;
  private int volumes;

  ForwardingLab(Path folder) throws Exception {
    this.folder = folder;
    List<String> names = List.of("localhost", "127.0.0.1");
    NodeTls near = TlsDirectory.prepare(folder.resolve("tls-1"), NEAR, names, Clock.systemUTC());
    NodeAuthority authority = TlsDirectory.authority(folder.resolve("tls-1"), Clock.systemUTC());
    Path far = folder.resolve("tls-2");
    String request = TlsDirectory.request(far, FAR, names);
    TlsDirectory.accept(
        far, authority.certificate(), authority.sign(TlsDirectory.parseRequest(request)));
    server =
        RpcServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            TlsDirectory.prepare(far, FAR, names, Clock.systemUTC()));
    server.add(new VolumeServer(admitted));
    channels = new PeerChannels(new Peers(), near);
  }

  @Override
  public void close() {
    executor.shutdownNow();
    channels.close();
    server.close();
  }

  private final class Peers implements PeerNodes {
    @Override
    public String self() {
      return NEAR;
    }

    @Override
    public InetSocketAddress address(String node, String service) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    }
  }

  /** Opens an empty volume on node-2. */
  BlockDevice opened(long size) throws Exception {
    SimulatedLab lab = new SimulatedLab();
    LvmEngine engine = lab.start();
    var unused = engine.prepareDisk(lab.disk(folder, 1));
    ReplicaLocation replica =
        new ReplicaLocation("vol", "vol-r", lab.disk(folder, 1), "vol-1", false);
    engine.provisionReplica(replica, size);
    return engine
        .open(
            new OpenRequest(
                "vol",
                size,
                NEAR,
                List.of(replica),
                new InMemoryRegister(),
                new RecordingListener()))
        .device();
  }

  RemoteVolumeDevice join(String volume) throws StorageException {
    return RemoteVolumeDevice.join(
        new ForwardRequest(volume, FAR, LIMIT), new RpcVolumeLinks(channels::channel), executor);
  }

  /** Returns a device over a new, empty volume. */
  BlockDevice create(long size) throws Exception {
    String volume = "v" + volumes++;
    var unused = admitted.admit(volume, NEAR, opened(size));
    return join(volume);
  }
}
