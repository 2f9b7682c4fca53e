package dev.holdfast.rpc.runtime;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls between nodes over real sockets. */
@Timeout(60)
class NodeRpcTest {
  /** The preface of an HTTP/2 client and an empty SETTINGS frame. */
  private static final byte[] HTTP2_BEGIN =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(ISO_8859_1);

  @TempDir Path folder;
  private TestCluster cluster;
  private RpcServer server;
  private PeerChannels channels;

  @BeforeEach
  void start() throws Exception {
    cluster = new TestCluster(folder);
    server = RpcServer.start(TestCluster.anyPort(), cluster.joined("node-2"));
    server.add(new EchoService());
    cluster.isAt("node-2", server.port());
    channels = new PeerChannels(cluster, cluster.first());
  }

  @AfterEach
  void stop() {
    channels.close();
    server.close();
  }

  @Test
  void serviceReceivesTheNameOfTheCallingNode() {
    assertThat(EchoService.say(channels.channel("node-2"), "hello")).isEqualTo("node-1: hello");
  }

  @Test
  void removedServiceIsUnimplementedUntilItReturns() throws Exception {
    try (RpcServer other = RpcServer.start(TestCluster.anyPort(), cluster.joined("node-3"))) {
      cluster.isAt("node-3", other.port());
      Channel channel = channels.channel("node-3");
      assertStatus(Status.Code.UNIMPLEMENTED, channel);
      EchoService service = new EchoService();
      other.add(service);
      assertThat(EchoService.say(channel, "there")).isEqualTo("node-1: there");
      other.remove(service);
      assertStatus(Status.Code.UNIMPLEMENTED, channel);
    }
  }

  @Test
  void aFailureArrivesWithItsCode() {
    assertThatThrownBy(() -> EchoService.say(channels.channel("node-2"), "fail"))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              StorageException failure = RpcErrors.fromStatus("echo", e);
              assertThat(failure.code()).isEqualTo(ErrorCode.NO_SPACE);
              assertThat(failure).hasMessage("echo: the disk is full");
            });
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void everyCodeArrivesAsItWas(ErrorCode code) {
    StorageException sent = new StorageException(code, "why");
    assertThat(RpcErrors.fromStatus("call", RpcErrors.toStatus(sent)).code()).isEqualTo(code);
  }

  @Test
  void aChannelFollowsItsNodeToAnotherPort() throws Exception {
    Channel channel = channels.channel("node-2");
    assertThat(EchoService.say(channel, "1")).isEqualTo("node-1: 1");
    server.close();
    server = RpcServer.start(TestCluster.anyPort(), cluster.joined("node-2"));
    server.add(new EchoService());
    cluster.isAt("node-2", server.port());
    assertThat(EchoService.say(channel, "2")).isEqualTo("node-1: 2");
  }

  @Test
  void aNodeThatIsNowhereIsUnavailable() {
    assertStatus(Status.Code.UNAVAILABLE, channels.channel("node-9"));
  }

  @Test
  void anotherNodeAtItsAddressIsNotTakenForIt() throws Exception {
    cluster.isAt("node-3", server.port());
    assertStatus(Status.Code.UNAVAILABLE, channels.channel("node-3"));
  }

  @Test
  void aNodeOfAnotherClusterIsRefused() throws Exception {
    TestCluster other = new TestCluster(folder.resolve("other"));
    other.isAt("node-2", server.port());
    try (PeerChannels strangers = new PeerChannels(other, other.first())) {
      assertStatus(Status.Code.UNAVAILABLE, strangers.channel("node-2"));
    }
  }

  @Test
  void connectionOfARemovedNodeEndsAndItGetsNoOther() throws Exception {
    AtomicBoolean removed = new AtomicBoolean();
    NodeTls tls = TestCluster.unless(removed, cluster.joined("node-3"));
    try (RpcServer checking = RpcServer.start(TestCluster.anyPort(), tls)) {
      checking.add(new EchoService());
      cluster.isAt("node-3", checking.port());
      try (SSLSocket idle = connected(checking)) {
        assertThat(EchoService.say(channels.channel("node-3"), "1")).isEqualTo("node-1: 1");

        removed.set(true);

        assertThat(untilTheEnd(idle)).isTrue();
      }
      // A resumed TLS session contains no new certificate, so the call is rejected.
      assertThatThrownBy(() -> EchoService.say(channels.channel("node-3"), "2"))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e ->
                  assertThat(RpcErrors.fromStatus("echo", e).code())
                      .isIn(ErrorCode.UNREACHABLE, ErrorCode.FORBIDDEN));
    }
  }

  @Test
  void connectionCheckContinuesAfterAnError() throws Exception {
    AtomicBoolean failing = new AtomicBoolean();
    AtomicBoolean removed = new AtomicBoolean();
    CountDownLatch failed = new CountDownLatch(1);
    NodeTls tls =
        TestCluster.before(
            () -> {
              if (failing.get()) {
                failed.countDown();
                throw new IllegalStateException("a fault");
              } else if (removed.get()) {
                throw new StorageException(ErrorCode.FORBIDDEN, "it was removed");
              }
            },
            cluster.joined("node-3"));
    try (RpcServer checking = RpcServer.start(TestCluster.anyPort(), tls);
        SSLSocket idle = connected(checking)) {
      failing.set(true);
      failed.await();
      removed.set(true);
      failing.set(false);

      assertThat(untilTheEnd(idle)).isTrue();
    }
  }

  private SSLSocket connected(RpcServer to) throws Exception {
    SSLSocket socket =
        (SSLSocket)
            cluster
                .first()
                .peerContext()
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), to.port());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    // Shorter than the connection shutdown of gRPC.
    socket.setSoTimeout(8000);
    socket.getOutputStream().write(HTTP2_BEGIN);
    socket.getOutputStream().flush();
    // At this point the server has checked the certificate.
    assertThat(socket.getInputStream().read()).isNotNegative();
    return socket;
  }

  private static boolean untilTheEnd(Socket socket) throws IOException {
    try {
      byte[] settings = socket.getInputStream().readAllBytes();
      return settings.length > 0;
    } catch (SocketException e) {
      return true;
    }
  }

  @Test
  void aCallerWithoutACertificateIsRefused() throws Exception {
    ManagedChannel anonymous =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
            .sslContext(
                GrpcSslContexts.forClient()
                    .trustManager(cluster.first().caCertificate().toFile())
                    .build())
            .overrideAuthority("localhost")
            .build();
    try {
      assertStatus(Status.Code.UNAVAILABLE, anonymous);
    } finally {
      anonymous.shutdownNow();
    }
  }

  @Test
  void hostileBytesDoNotEndTheServer() throws Exception {
    Random random = new Random(1);
    for (int i = 0; i < 50; i++) {
      byte[] bytes = new byte[1 + random.nextInt(4096)];
      random.nextBytes(bytes);
      if (i % 2 == 0) {
        // Resembles the start of a TLS record.
        bytes[0] = 22;
      }
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        socket.getOutputStream().write(bytes);
        socket.shutdownOutput();
        socket.getInputStream().readAllBytes();
      } catch (IOException e) {
        // The server closed the connection first.
      }
    }
    assertThat(EchoService.say(channels.channel("node-2"), "alive")).isEqualTo("node-1: alive");
  }

  @Test
  void renewedCertificatesAreUsedWithoutARestart() throws Exception {
    TlsDirectory.prepare(
        folder.resolve("node-1"),
        "node-1",
        List.of("localhost", "127.0.0.1", "another.name"),
        Clock.systemUTC());
    assertThat(EchoService.say(channels.channel("node-2"), "new")).isEqualTo("node-1: new");
  }

  private static void assertStatus(Status.Code code, Channel channel) {
    assertThatThrownBy(() -> EchoService.say(channel, "words"))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class, e -> assertThat(e.getStatus().getCode()).isEqualTo(code));
  }
}
