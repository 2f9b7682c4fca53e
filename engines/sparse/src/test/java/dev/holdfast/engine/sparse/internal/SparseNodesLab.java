package dev.holdfast.engine.sparse.internal;

import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.serve.ForwardServer;
import dev.holdfast.engine.testkit.EngineLab;
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
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/** Engines of several nodes in one process, which reach each other over real sockets with TLS. */
final class SparseNodesLab implements EngineLab.SeveralNodes {
  private static final List<String> NAMES = List.of("localhost", "127.0.0.1");

  private final Map<String, Integer> ports = new ConcurrentHashMap<>();
  private final Map<EngineProvider, Member> members = new HashMap<>();
  private Optional<Path> authority = Optional.empty();

  private record Member(
      SparseEngine engine, PeerChannels channels, RpcServer server, SocketPortal portal) {}

  @Override
  public EngineProvider start() throws Exception {
    return startOn("node-1");
  }

  @Override
  public EngineProvider startOn(String node) throws Exception {
    NodeTls tls = certificate(node, Files.createTempDirectory("sparse-nodes"));
    SocketPortal portal = portal();
    portal.arrived(tls);
    portal.arrived(new ReplicaFrontend());
    SparseEngine engine =
        new SparseEngine(
            LocalReplicaDirectory::new,
            "the same boot",
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            SparseEngine::noWay);
    RpcServer server =
        RpcServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), tls);
    server.add(new ForwardServer(engine.admitted(), portal, true));
    ports.put(node, server.port());
    PeerChannels channels = new PeerChannels(new Peers(node), tls);
    engine.bindChannels(channels);
    members.put(engine, new Member(engine, channels, server, portal));
    return engine;
  }

  /** The first node has the authority of the cluster. */
  private NodeTls certificate(String node, Path folder) throws StorageException {
    if (authority.isEmpty()) {
      authority = Optional.of(folder);
    } else {
      NodeAuthority ca = TlsDirectory.authority(authority.get(), Clock.systemUTC());
      String request = TlsDirectory.request(folder, node, NAMES);
      TlsDirectory.accept(folder, ca.certificate(), ca.sign(TlsDirectory.parseRequest(request)));
    }
    return TlsDirectory.prepare(folder, node, NAMES, Clock.systemUTC());
  }

  private static SocketPortal portal() throws StorageException {
    Map<String, String> settings =
        Map.of("holdfast.replica.port", "0", "holdfast.replica.tls", "require");
    return new SocketPortal(new PortalSettings(name -> Optional.ofNullable(settings.get(name))));
  }

  @Override
  public void stop(EngineProvider engine) throws IOException {
    Member stopped = members.get(engine);
    stopped.engine().admitted().endAll();
    stopped.engine().stop();
    stopped.channels().close();
    stopped.server().close();
    stopped.portal().close();
  }

  @Override
  public void kill(EngineProvider engine) {
    throw new UnsupportedOperationException("the kit for several nodes stops engines in order");
  }

  @Override
  public DiskLocation seenFrom(DiskLocation disk, String node) {
    return DiskLocation.directory(node, disk.path());
  }

  private final class Peers implements PeerNodes {
    private final String node;

    Peers(String node) {
      this.node = node;
    }

    @Override
    public String self() {
      return node;
    }

    @Override
    public InetSocketAddress address(String other, String service) throws StorageException {
      Integer port = ports.get(other);
      if (port == null) {
        throw new StorageException(ErrorCode.UNREACHABLE, "node " + other + " has not started");
      }
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
  }
}
