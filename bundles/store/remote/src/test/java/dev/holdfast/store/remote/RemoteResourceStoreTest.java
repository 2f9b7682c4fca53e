package dev.holdfast.store.remote;

import dev.holdfast.apiserver.ApiServer;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import dev.holdfast.store.testkit.ResourceStoreKit;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.io.TempDir;

/** The kit over a real server, which is also the server's own conformance test. */
class RemoteResourceStoreTest extends ResourceStoreKit {
  private static final int KEPT = 100;
  private static final String TOKEN = "of-the-test";

  @TempDir static Path directory;

  private final Map<ResourceStore, ApiServer> servers = new ConcurrentHashMap<>();

  @Override
  protected ResourceStore open() throws Exception {
    NodeTls tls =
        TlsDirectory.prepare(
            directory.resolve("tls"), List.of("localhost", "127.0.0.1"), Clock.systemUTC());
    ApiServer server =
        ApiServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            tls.serverContext(),
            TOKEN,
            "0.1.0",
            new MemoryResourceStore(Clock.systemUTC(), KEPT));
    ResourceStore store =
        new RemoteResourceStore(
            new ApiConnection(
                URI.create("https://127.0.0.1:" + server.port()),
                TOKEN,
                Files.readString(tls.caCertificate())));
    servers.put(store, server);
    return store;
  }

  @Override
  protected void close(ResourceStore store) {
    ((RemoteResourceStore) store).close();
    servers.remove(store).close();
  }

  @Override
  protected OptionalInt keptChanges() {
    return OptionalInt.of(KEPT);
  }
}
