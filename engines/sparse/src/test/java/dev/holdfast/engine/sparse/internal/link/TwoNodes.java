package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.sparse.internal.serve.ForwardServer;
import dev.holdfast.engine.sparse.internal.serve.ForwardingTargets;
import dev.holdfast.engine.sparse.internal.serve.ReplicaServer;
import dev.holdfast.engine.sparse.internal.serve.ServedSessions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nbd.internal.ReplicaFrontend;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.runtime.PeerChannels;
import dev.holdfast.rpc.runtime.RpcServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Two nodes of a cluster in one process, over real sockets: node-1 has the engine; node-2 has a
 * disk with replicas, and optionally an open volume.
 */
public final class TwoNodes implements AutoCloseable {
  public static final String FAR = "node-2";
  private static final List<String> NAMES = List.of("localhost", "127.0.0.1");

  final Path disk;
  final NodeTls nearTls;
  final ReplicaHost host;
  final ServedSessions sessions;
  final ForwardingTargets admitted = new ForwardingTargets();
  final SocketPortal portal;
  final RpcServer server;
  final ReplicaServer replicas;
  public final PeerChannels channels;
  public final NetworkLinks links;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private volatile int port;

  TwoNodes(Path folder, boolean tls) throws StorageException, IOException {
    this(folder, tls, new ReplicaHost(LocalReplicaDirectory::new, "this-boot"));
  }

  public TwoNodes(Path folder, boolean tls, ReplicaHost host) throws StorageException, IOException {
    this.host = host;
    disk = Files.createDirectories(folder.resolve("disk"));
    mark(disk);
    nearTls = TlsDirectory.prepare(folder.resolve("tls-1"), "node-1", NAMES, Clock.systemUTC());
    NodeTls farTls = joined(folder.resolve("tls-1"), folder.resolve("tls-2"));
    portal = portal(tls);
    portal.arrived(farTls);
    portal.arrived(new ReplicaFrontend());
    sessions = new ServedSessions(host, portal, executor);
    server = RpcServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), farTls);
    replicas = new ReplicaServer(sessions, tls);
    server.add(replicas);
    server.add(new ForwardServer(admitted, portal, tls));
    port = server.port();
    channels = new PeerChannels(new Peers(), nearTls);
    links = new NetworkLinks(channels);
  }

  private static NodeTls joined(Path authority, Path directory) throws StorageException {
    NodeAuthority ca = TlsDirectory.authority(authority, Clock.systemUTC());
    String request = TlsDirectory.request(directory, FAR, NAMES);
    TlsDirectory.accept(directory, ca.certificate(), ca.sign(TlsDirectory.parseRequest(request)));
    return TlsDirectory.prepare(directory, FAR, NAMES, Clock.systemUTC());
  }

  private static SocketPortal portal(boolean tls) throws StorageException {
    Map<String, String> settings =
        Map.of("holdfast.replica.port", "0", "holdfast.replica.tls", tls ? "require" : "off");
    return new SocketPortal(new PortalSettings(name -> Optional.ofNullable(settings.get(name))));
  }

  /** Marks a folder as a disk of node-2. */
  public static void mark(Path disk) throws IOException {
    Files.writeString(disk.resolve("longhorn-disk.cfg"), "{\"diskUUID\":\"far-disk\"}");
  }

  /** Sets the address at which node-1 connects to node-2. */
  void movedTo(int changed) {
    port = changed;
  }

  /** Creates an empty replica on node-2. */
  ReplicaLocation replica(String name, long size) throws StorageException {
    ReplicaLocation location = new ReplicaLocation("vol", name, FAR, disk, "dir-" + name);
    new ReplicaStorage().provision(location, size);
    return location;
  }

  @Override
  public void close() {
    links.close();
    channels.close();
    server.close();
    sessions.stop();
    portal.close();
    executor.shutdown();
  }

  private final class Peers implements PeerNodes {
    @Override
    public String self() {
      return "node-1";
    }

    @Override
    public InetSocketAddress address(String node, String service) throws StorageException {
      if (!node.equals(FAR)) {
        throw new StorageException(ErrorCode.UNREACHABLE, "there is no node " + node);
      }
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
  }
}
