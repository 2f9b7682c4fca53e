package dev.holdfast.portal.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.portal.KeyedEchoFrontend;
import dev.holdfast.portal.TlsClient;
import dev.holdfast.portal.TlsClient.Offer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a key's usable life. */
@Tag("soak")
@Timeout(300)
final class PresharedKeyTransportTest {
  /** From here on the library would change the key, if permitted. */
  private static final int RECORDS = (1 << 20) + 1000;

  @Test
  void clientReadsOnWhenTheKeyIsUsedUp() throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> send(server));
      URI endpoint = URI.create("echo://127.0.0.1:" + server.socket().getLocalPort());
      try (TlsClient client = new TlsClient(endpoint, Offer.known())) {
        byte[] received = client.receive(RECORDS);
        for (int i = 0; i < RECORDS; i++) {
          assertThat(received[i]).isEqualTo((byte) i);
        }
      }
      sent.get(60, TimeUnit.SECONDS);
    }
  }

  private static void send(ServerSocketChannel server) {
    try (SocketChannel channel = server.accept();
        PresharedKeyTransport transport =
            new PresharedKeyTransport(channel, new KeyedEchoFrontend(true), 1)) {
      transport.handshake(new byte[0]);
      for (int i = 0; i < RECORDS; i++) {
        ByteBuffer[] one = {ByteBuffer.wrap(new byte[] {(byte) i})};
        transport.write(one, 1);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
