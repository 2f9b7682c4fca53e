package dev.holdfast.engine.lvm.internal.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.BlobCall;
import dev.holdfast.engine.lvm.blobs.BlobMode;
import dev.holdfast.engine.lvm.blobs.BlobOptions;
import dev.holdfast.engine.lvm.blobs.BlobWipe;
import dev.holdfast.engine.lvm.rpc.PerformRequest;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls from one node to another over TLS. */
class RpcPeersTest {
  private static final String FAR = "node-2";
  private static final Blob A = new Blob("vg0", "a");
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final List<Object> received = new ArrayList<>();
  private Optional<StorageException> failure = Optional.empty();
  private RpcServer server;
  private int port;
  private PeerChannels channels;
  private RpcPeers peers;

  @TempDir Path folder;

  @BeforeEach
  void start() throws Exception {
    List<String> names = List.of("localhost", "127.0.0.1");
    NodeTls near =
        TlsDirectory.prepare(folder.resolve("tls-1"), "node-1", names, Clock.systemUTC());
    server =
        RpcServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), joined(names));
    server.add(new PoolServer(new Recording()));
    port = server.port();
    channels = new PeerChannels(new Peers(), near);
    peers = new RpcPeers(channels::channel, LIMIT, LIMIT);
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

  /** The blob manager of the remote node. */
  private final class Recording implements PoolServer.Pools {
    @Override
    public void advance(String group, String pool) throws StorageException {
      record(group + "/" + pool);
    }

    @Override
    public void perform(BlobCall call) throws StorageException {
      record(call);
    }

    private void record(Object what) throws StorageException {
      if (failure.isPresent()) {
        throw failure.get();
      }
      received.add(what);
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
  void everyCallArrivesAsItWasMade() throws Exception {
    List<Object> sent = new ArrayList<>();
    BlobOptions unsafe = new BlobOptions(BlobMode.LINEAR, BlobWipe.UNSAFE_FAST);
    for (BlobCall.Kind kind : BlobCall.Kind.values()) {
      for (BlobOptions options : List.of(BlobOptions.THIN, BlobOptions.LINEAR, unsafe)) {
        BlobCall call =
            new BlobCall(kind, A, options, 1L << 40, Optional.of(new Blob("vg0", "b")), "c");
        peers.perform(FAR, call);
        sent.add(call);
      }
    }
    peers.advance(FAR, "vg0", "a");
    sent.add("vg0/a");
    assertThat(received).isEqualTo(sent);
  }

  @Test
  void failureArrivesWithItsCode() {
    failure = Optional.of(new StorageException(ErrorCode.BUSY, "pool vg0/a is locked"));
    assertThatThrownBy(() -> peers.advance(FAR, "vg0", "a"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining("pool vg0/a is locked");
  }

  @Test
  void onlyANodeThatAnswersIsReachable() {
    assertThat(peers.isReachable(FAR)).isTrue();
    assertThat(peers.isReachable("node-3")).isFalse();
    server.close();
    assertThat(peers.isReachable(FAR)).isFalse();
  }

  @Test
  void callOfALaterVersionIsRefused() {
    assertThatThrownBy(
            () ->
                CallMessages.read(
                    PerformRequest.newBuilder()
                        .setKindValue(99)
                        .setGroup("vg0")
                        .setBlob("a")
                        .build()))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessageContaining("call 99");
  }
}
