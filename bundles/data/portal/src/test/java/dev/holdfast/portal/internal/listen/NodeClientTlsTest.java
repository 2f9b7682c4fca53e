package dev.holdfast.portal.internal.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.portal.internal.transport.Transport;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
final class NodeClientTlsTest {
  @TempDir private Path folder;
  private final AtomicBoolean removed = new AtomicBoolean();
  private ServerSocketChannel listening;
  private NodeTls node;
  private NodeClientTls tls;

  @BeforeEach
  void listen() throws Exception {
    node = TlsDirectory.prepare(folder, List.of("127.0.0.1"), Clock.systemUTC());
    tls = new NodeClientTls(() -> Optional.of(unlessRemoved(node)));
    listening = ServerSocketChannel.open();
    listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void close() throws IOException {
    listening.close();
  }

  private NodeTls unlessRemoved(NodeTls real) {
    return (NodeTls)
        Proxy.newProxyInstance(
            NodeTls.class.getClassLoader(),
            new Class<?>[] {NodeTls.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("peerName") && removed.get()) {
                throw new StorageException(ErrorCode.FORBIDDEN, "it was removed");
              }
              return method.invoke(real, arguments);
            });
  }

  private CompletableFuture<Void> client() {
    return CompletableFuture.runAsync(
        () -> {
          try (Socket socket =
              node.peerContext()
                  .getSocketFactory()
                  .createSocket(
                      InetAddress.getLoopbackAddress(), listening.socket().getLocalPort())) {
            ((SSLSocket) socket).startHandshake();
            int unused = socket.getInputStream().read();
          } catch (IOException | StorageException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void connectionOfARemovedNodeIsClosed() throws Exception {
    CompletableFuture<Void> client = client();
    SocketChannel channel = listening.accept();
    Transport transport = tls.secure(channel);
    tls.check(1);
    assertThat(channel.isOpen()).isTrue();

    removed.set(true);
    tls.check(1);

    assertThat(channel.isOpen()).isFalse();
    assertThatThrownBy(() -> transport.read(ByteBuffer.allocate(1)))
        .isInstanceOf(IOException.class);
    CompletableFuture<Void> ended = client.exceptionally(e -> null);
    ended.get(20, TimeUnit.SECONDS);
  }

  @Test
  void removedNodeIsRefusedAfterItsHandshake() throws Exception {
    removed.set(true);
    CompletableFuture<Void> client = client();
    try (SocketChannel channel = listening.accept()) {
      assertThatThrownBy(() -> tls.secure(channel)).hasMessageContaining("removed");
    }
    CompletableFuture<Void> ended = client.exceptionally(e -> null);
    ended.get(20, TimeUnit.SECONDS);
  }
}
