package dev.holdfast.engine.spdk.internal.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.calls.TargetListener;
import dev.holdfast.engine.spdk.internal.replica.LegHost;
import dev.holdfast.engine.spdk.internal.replica.LegKey;
import dev.holdfast.engine.spdk.internal.replica.LegNode;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Opening;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Owner;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Phase;
import dev.holdfast.engine.spdk.internal.replica.LegShown;
import dev.holdfast.engine.spdk.internal.replica.LegToken;
import dev.holdfast.engine.spdk.internal.replica.LegView;
import dev.holdfast.engine.spdk.internal.replica.SnapshotRecord;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.runtime.PeerChannels;
import dev.holdfast.rpc.runtime.RpcServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls about replicas from one node to another over TLS. */
class RpcLegNodeTest {
  private static final String FAR = "node-2";
  private static final LegKey KEY =
      new LegKey(
          new ReplicaLocation(
              "vol",
              "vol-r-2",
              new DiskLocation(FAR, "", DiskKind.DEVICE, Path.of("/dev/disk")),
              "vol-2",
              false),
          "hf-store",
          "identity",
          new LegToken(7, 3));
  private static final LegRecord RECORD =
      new LegRecord(
          new Owner("vol", "vol-r-2", "identity", ""),
          8L << 20,
          Phase.READY,
          "hf-head",
          "hf-s1",
          new Opening(7, 3, false),
          List.of(
              new SnapshotRecord(
                  "hf-s1", "s1", "", false, true, Instant.EPOCH, Map.of("a", "b"), 8L << 20)));
  private static final LegView VIEW = new LegView("hf-store", RECORD);
  private static final LegHost HOST = new LegHost("nqn.host", "key", "other key");
  private static final LegShown SHOWN = new LegShown("nqn.x", new TargetListener("192.0.2.1", 44));

  private final List<Object> received = new ArrayList<>();
  private Optional<StorageException> failure = Optional.empty();
  private RpcServer server;
  private int port;
  private PeerChannels channels;
  private final ClusterNodes nodes = new ClusterNodes(Duration.ofMinutes(2));

  @TempDir private Path folder;

  @BeforeEach
  void start() throws Exception {
    List<String> names = List.of("localhost", "127.0.0.1");
    NodeTls near =
        TlsDirectory.prepare(folder.resolve("tls-1"), "node-1", names, Clock.systemUTC());
    server =
        RpcServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), joined(names));
    server.add(new LegServer(new Recording()));
    port = server.port();
    channels = new PeerChannels(new Peers(), near);
    nodes.arrived(channels);
  }

  private NodeTls joined(List<String> names) throws StorageException {
    NodeAuthority authority = TlsDirectory.authority(folder.resolve("tls-1"), Clock.systemUTC());
    Path directory = folder.resolve("tls-2");
    String request = TlsDirectory.request(directory, FAR, names);
    TlsDirectory.accept(
        directory, authority.certificate(), authority.sign(TlsDirectory.parseRequest(request)));
    return TlsDirectory.prepare(directory, FAR, names, Clock.systemUTC());
  }

  @AfterEach
  void stop() {
    channels.close();
    server.close();
  }

  /** The replicas of the remote node. */
  private final class Recording implements LegNode {
    private <T> T record(T answer, Object... call) throws StorageException {
      if (failure.isPresent()) {
        throw failure.get();
      }
      received.addAll(List.of(call));
      return answer;
    }

    @Override
    public LegView look(LegKey key) throws StorageException {
      return record(VIEW, "look", key);
    }

    @Override
    public LegView fence(LegKey key) throws StorageException {
      return record(VIEW, "fence", key);
    }

    @Override
    public void write(LegKey key, LegRecord record) throws StorageException {
      var unused = record(VIEW, "write", key, record);
    }

    @Override
    public LegShown expose(LegKey key, String lvol, LegHost host) throws StorageException {
      return record(SHOWN, "expose", key, lvol, host);
    }

    @Override
    public void hide(LegKey key, String lvol) throws StorageException {
      var unused = record(VIEW, "hide", key, lvol);
    }

    @Override
    public String attachSource(LegKey key, LegShown source, LegHost host) throws StorageException {
      return record("source", "attach", key, source, host);
    }

    @Override
    public void detachSource(LegKey key) throws StorageException {
      var unused = record(VIEW, "detach", key);
    }

    @Override
    public void end(LegKey key) throws StorageException {
      var unused = record(VIEW, "end", key);
    }

    @Override
    public JsonNode call(LegKey key, String method, ObjectNode params, Duration patience)
        throws StorageException {
      return record(TextNode.valueOf("done"), "call", key, method, params);
    }
  }

  private final class Peers implements PeerNodes {
    @Override
    public String self() {
      return "node-1";
    }

    @Override
    public InetSocketAddress address(String node, String service) throws StorageException {
      if (!node.equals(FAR)) {
        throw new StorageException(ErrorCode.UNREACHABLE, "node " + node + " is unknown");
      }
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
  }

  @Test
  void everyCallArrivesAsItWasMadeAndIsAnswered() throws Exception {
    LegNode far = nodes.node(FAR);
    ObjectNode params = SpdkTarget.params().put("name", "a/b").put("size_in_mib", 4);
    assertThat(far.look(KEY)).isEqualTo(VIEW);
    assertThat(far.fence(KEY)).isEqualTo(VIEW);
    far.write(KEY, RECORD);
    assertThat(far.expose(KEY, "hf-head", HOST)).isEqualTo(SHOWN);
    far.hide(KEY, "hf-head");
    far.end(KEY);
    assertThat(far.attachSource(KEY, SHOWN, HOST)).isEqualTo("source");
    far.detachSource(KEY);
    assertThat(far.call(KEY, "bdev_lvol_resize", params, Duration.ofSeconds(9)).asText())
        .isEqualTo("done");
    assertThat(received.toString())
        .isEqualTo(
            List.of(
                    "look",
                    KEY,
                    "fence",
                    KEY,
                    "write",
                    KEY,
                    RECORD,
                    "expose",
                    KEY,
                    "hf-head",
                    "nqn.host",
                    "hide",
                    KEY,
                    "hf-head",
                    "end",
                    KEY,
                    "attach",
                    KEY,
                    SHOWN,
                    "nqn.host",
                    "detach",
                    KEY,
                    "call",
                    KEY,
                    "bdev_lvol_resize",
                    params)
                .toString());
    assertThat(received).filteredOn(HOST::equals).hasSize(2);
  }

  @Test
  void refusalArrivesWithItsCodeAndNamesTheNode() {
    failure = Optional.of(new StorageException(ErrorCode.FORBIDDEN, "opening 8.1 took over"));
    StorageException refusal =
        catchThrowableOfType(StorageException.class, () -> nodes.node(FAR).end(KEY));
    assertThat(refusal.code()).isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(refusal).hasMessageContaining("node-2").hasMessageContaining("opening 8.1");
  }

  @Test
  void nodeWithoutAWayToItIsUnreachable() {
    StorageException unknown =
        catchThrowableOfType(StorageException.class, () -> nodes.node("node-9").look(KEY));
    assertThat(unknown.code()).isEqualTo(ErrorCode.UNREACHABLE);
    nodes.left(channels);
    StorageException none =
        catchThrowableOfType(StorageException.class, () -> nodes.node(FAR).look(KEY));
    assertThat(none.code()).isEqualTo(ErrorCode.UNREACHABLE);
  }
}
