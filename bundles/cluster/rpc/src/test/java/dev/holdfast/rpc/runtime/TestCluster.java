package dev.holdfast.rpc.runtime;

import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.PeerNodes;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Certificates of a cluster's nodes, and their addresses. */
final class TestCluster implements PeerNodes {
  private static final List<String> NAMES = List.of("localhost", "127.0.0.1");

  private final Path folder;
  private final NodeTls first;
  private final Map<String, Integer> ports = new ConcurrentHashMap<>();

  TestCluster(Path folder) throws StorageException {
    this.folder = folder;
    this.first = TlsDirectory.prepare(folder.resolve("node-1"), "node-1", NAMES, Clock.systemUTC());
  }

  NodeTls first() {
    return first;
  }

  /** Returns the certificates of a joined node. */
  NodeTls joined(String node) throws StorageException {
    Path directory = folder.resolve(node);
    NodeAuthority ca = TlsDirectory.authority(folder.resolve("node-1"), Clock.systemUTC());
    String request = TlsDirectory.request(directory, node, NAMES);
    TlsDirectory.accept(directory, ca.certificate(), ca.sign(TlsDirectory.parseRequest(request)));
    return TlsDirectory.prepare(directory, node, NAMES, Clock.systemUTC());
  }

  /** Returns certificates of a node that rejects all other nodes after a flag is set. */
  static NodeTls unless(AtomicBoolean removed, NodeTls tls) {
    return before(
        () -> {
          if (removed.get()) {
            throw new StorageException(ErrorCode.FORBIDDEN, "it was removed");
          }
        },
        tls);
  }

  /** An action before the name of a peer is returned. */
  @FunctionalInterface
  interface Check {
    /** Throws for a peer that is not a member. */
    void run() throws StorageException;
  }

  /** Returns the certificates of a node with an additional check of its peers. */
  static NodeTls before(Check check, NodeTls tls) {
    return (NodeTls)
        Proxy.newProxyInstance(
            NodeTls.class.getClassLoader(),
            new Class<?>[] {NodeTls.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("peerName")) {
                check.run();
              }
              return method.invoke(tls, arguments);
            });
  }

  void isAt(String node, int port) {
    ports.put(node, port);
  }

  static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  @Override
  public String self() {
    return "node-1";
  }

  @Override
  public InetSocketAddress address(String node, String service) throws StorageException {
    Integer port = ports.get(node);
    if (port == null) {
      throw new StorageException(ErrorCode.UNREACHABLE, "there is no node " + node);
    }
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }
}
