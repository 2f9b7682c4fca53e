package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.portal.internal.session.Inbox;
import dev.holdfast.portal.internal.transport.BufferPool;
import dev.holdfast.portal.internal.transport.PortalLimits;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that announce large messages and do not send them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnnouncedInputTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final int LARGE = 32 << 20;
  private static final int LIMIT = 48 << 20;
  private static final int ANNOUNCERS = 8;
  private static final int KIB = 1 << 10;

  private final PortalLimits limits =
      PortalLimits.of(16, 64, 4 << 20, LIMIT, LONG, LONG, Duration.ofMillis(200));

  private static Socket client(URI endpoint) throws Exception {
    Socket socket = new Socket(endpoint.getHost(), endpoint.getPort());
    send(socket, 1, 1);
    assertThat(socket.getInputStream().read()).isEqualTo(1);
    return socket;
  }

  private static void send(Socket socket, int announced, int sent) throws Exception {
    ByteBuffer message = ByteBuffer.allocate(Integer.BYTES + sent).putInt(announced);
    socket.getOutputStream().write(message.array());
  }

  @Test
  void clientThatSendsIsServedBesideThoseThatOnlyAnnounce() throws Exception {
    PortalSettings settings =
        new PortalSettings(name -> Optional.ofNullable(name.endsWith("port") ? "0" : null));
    List<Socket> announcers = new ArrayList<>();
    try (SocketPortal portal = new SocketPortal(settings, limits)) {
      portal.arrived(new BulkFrontend());
      URI endpoint = portal.publish("bulk", "a", new IdleBlockDevice()).endpoint();
      for (int i = 0; i < ANNOUNCERS; i++) {
        Socket socket = client(endpoint);
        announcers.add(socket);
        send(socket, LARGE, KIB);
      }
      try (Socket sender = client(endpoint)) {
        send(sender, LARGE, LARGE);
        assertThat(sender.getInputStream().read()).isEqualTo(1);
      }
    } finally {
      for (Socket socket : announcers) {
        socket.close();
      }
    }
  }

  @Test
  void bufferGrowsAsAMessageComes() throws Exception {
    BufferPool pool = new BufferPool(LIMIT, 0);
    Inbox inbox = new Inbox(pool);
    FrontendSession session = new BulkFrontend().open(null);
    inbox.target().putInt(LARGE);
    assertThat(inbox.enough()).isTrue();
    inbox.offer(session);
    int came = Integer.BYTES;
    while (came < Integer.BYTES + LARGE) {
      ByteBuffer target = inbox.target();
      assertThat(pool.used()).isLessThanOrEqualTo(Math.max(300L * KIB, 9L * came));
      int piece = Math.min(target.remaining(), Integer.BYTES + LARGE - came);
      target.position(target.position() + piece);
      came += piece;
      assertThat(inbox.enough()).isEqualTo(came == Integer.BYTES + LARGE);
    }
    inbox.close();
    assertThat(pool.used()).isZero();
  }
}
