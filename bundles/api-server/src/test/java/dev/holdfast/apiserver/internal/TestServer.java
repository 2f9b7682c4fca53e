package dev.holdfast.apiserver.internal;

import dev.holdfast.apiserver.ApiServer;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.TlsDirectory;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/** A whole server over a store in memory, with the files that its clients need. */
final class TestServer implements AutoCloseable {
  private final ResourceStore store;
  private final Path data;
  private final ApiServer server;

  TestServer(Path data) throws Exception {
    this.data = data;
    this.store = new MemoryResourceStore();
    NodeTls tls =
        TlsDirectory.prepare(
            data.resolve("tls"), List.of("localhost", "127.0.0.1"), Clock.systemUTC());
    Credentials credentials = new Credentials(data);
    String token = credentials.token();
    server =
        ApiServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            tls.serverContext(),
            token,
            "0.1.0",
            store);
    credentials.writeKubeconfig("https://127.0.0.1:" + server.port(), tls.caCertificate(), token);
  }

  ResourceStore store() {
    return store;
  }

  Path kubeconfig() {
    return data.resolve("kubeconfig");
  }

  String url() {
    return "https://127.0.0.1:" + server.port();
  }

  @Override
  public void close() {
    server.close();
  }
}
