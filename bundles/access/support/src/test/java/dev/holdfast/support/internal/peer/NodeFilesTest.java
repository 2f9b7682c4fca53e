package dev.holdfast.support.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.access.audit.AuditFolder;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.runtime.PeerChannels;
import dev.holdfast.rpc.runtime.RpcServer;
import dev.holdfast.store.memory.MemoryResourceStore;
import dev.holdfast.support.internal.pack.ClusterFacts;
import dev.holdfast.support.internal.pack.NodePart;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of node-2, received by node-1 over the nodes' own connections. */
@Timeout(60)
class NodeFilesTest {
  private static final List<String> NAMES = List.of("localhost", "127.0.0.1");
  private static final String EVENT =
      "{\"verb\":\"delete\",\"user\":{\"username\":\"%s\"},"
          + "\"requestReceivedTimestamp\":\"2026-11-28T12:00:0%d.000000Z\"}\n";

  @TempDir private Path folder;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private RpcServer server;
  private PeerChannels channels;
  private NodeFilesClient client;

  /** The two nodes; the third one is down. */
  private record Peers(String self, int port) implements PeerNodes {
    @Override
    public InetSocketAddress address(String nodeId, String name) throws StorageException {
      if (!nodeId.equals("node-2")) {
        throw new StorageException(ErrorCode.UNREACHABLE, "node " + nodeId + " is down");
      }
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
  }

  @BeforeEach
  void start() throws Exception {
    NodeTls first = TlsDirectory.prepare(folder.resolve("1"), "node-1", NAMES, Clock.systemUTC());
    NodeAuthority ca = TlsDirectory.authority(folder.resolve("1"), Clock.systemUTC());
    Path second = folder.resolve("2");
    String request = TlsDirectory.request(second, "node-2", NAMES);
    TlsDirectory.accept(second, ca.certificate(), ca.sign(TlsDirectory.parseRequest(request)));
    server =
        RpcServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            TlsDirectory.prepare(second, "node-2", NAMES, Clock.systemUTC()));
    channels = new PeerChannels(new Peers("node-1", server.port()), first);
    client = new NodeFilesClient(channels, Duration.ofSeconds(30));
  }

  @AfterEach
  void stop() {
    channels.close();
    server.close();
    threads.shutdownNow();
    store.close();
  }

  @Test
  void filesArriveWholeAndInOrder() throws Exception {
    byte[] large = new byte[3 << 20];
    large[large.length - 1] = 7;
    server.add(
        new NodeFilesService(
            (request, sink) -> {
              sink.entry("request.txt", request);
              sink.entry("empty.txt", new byte[0]);
              sink.entry("large.bin", large);
              sink.entry("../../etc/passwd", new byte[1]);
            },
            (request, sink) -> {},
            threads));
    Map<String, byte[]> files = new LinkedHashMap<>();

    client.support("node-2", "{}".getBytes(StandardCharsets.UTF_8), files::put);

    assertThat(files.keySet())
        .containsExactly("request.txt", "empty.txt", "large.bin", "__/__/etc/passwd");
    assertThat(files.get("request.txt")).asString().isEqualTo("{}");
    assertThat(files.get("large.bin")).isEqualTo(large);
  }

  @Test
  void failureOfTheOtherNodeArrivesWithItsMessage() {
    server.add(
        new NodeFilesService(
            (request, sink) -> {
              throw new StorageException(ErrorCode.INVALID, "since: wrong");
            },
            (request, sink) -> {},
            threads));

    assertThatThrownBy(() -> client.support("node-2", new byte[0], (name, content) -> {}))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("since: wrong");
  }

  @Test
  void auditLogsOfAllNodesAreMergedAndNodesThatAreDownAreNamed() throws Exception {
    audit("1", EVENT.formatted("ann", 1), EVENT.formatted("ann", 3));
    audit("2", EVENT.formatted("ben", 2), EVENT.formatted("ann", 4));
    for (String name : List.of("node-1", "node-2", "node-3")) {
      store.create(Node.of(name, NodeSpec.EMPTY));
    }
    server.add(nodes("node-2", "2").service());

    JsonNode report = nodes("node-1", "1").auditReport(AuditQuery.of(Map.of()));
    JsonNode ofAnn = nodes("node-1", "1").auditReport(AuditQuery.of(Map.of("user", "ann")));

    assertThat(report.path("items").findValuesAsText("node"))
        .containsExactly("node-1", "node-2", "node-1", "node-2");
    assertThat(ofAnn.path("items").findValuesAsText("node"))
        .containsExactly("node-1", "node-1", "node-2");
    assertThat(report.at("/nodes/2/name").asText()).isEqualTo("node-3");
    assertThat(report.at("/nodes/2/error").asText()).contains("node-3");
    assertThat(report.at("/nodes/1/complete").asBoolean()).isTrue();
  }

  private void audit(String node, String... events) throws Exception {
    Path file = AuditFolder.ofNode(folder.resolve(node)).file(0);
    Files.createDirectories(file.getParent());
    Files.writeString(file, String.join("", events));
  }

  private SupportNodes nodes(String self, String data) {
    Path directory = folder.resolve(data);
    return new SupportNodes(
        self,
        store,
        NodePart.of(directory, directory, () -> "", () -> ""),
        new ClusterFacts(store, KindCatalogue.load(), List::of),
        AuditFolder.ofNode(directory),
        client,
        threads);
  }

  @Test
  void wrongParametersAreNamed() {
    assertThatThrownBy(() -> AuditQuery.of(Map.of("since", "yesterday")))
        .hasMessage("since: \"yesterday\" must be a time such as 2026-11-28T12:00:00Z");
    assertThatThrownBy(() -> AuditQuery.of(Map.of("users", "ann")))
        .hasMessage("users: must be one of user, verb, kind, name, since");
  }
}
