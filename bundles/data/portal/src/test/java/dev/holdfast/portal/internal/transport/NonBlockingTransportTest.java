package dev.holdfast.portal.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoThread;
import dev.holdfast.frontend.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Replies from I/O threads that serve others too. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class NonBlockingTransportTest {
  private static final String NAME = "prompt-test";
  private static final int REPLY = 64 << 10;
  private static final int REPLIES = 32;

  private final Watchdog watchdog = new Watchdog();
  private final PortalThreads threads = new PortalThreads();
  private SocketChannel server;
  private SocketChannel client;
  private NonBlockingTransport transport;
  private Outbox outbox;

  @BeforeEach
  void connect() throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.setOption(StandardSocketOptions.SO_RCVBUF, 16 << 10);
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      client = SocketChannel.open();
      client.setOption(StandardSocketOptions.SO_RCVBUF, 16 << 10);
      client.connect(listener.getLocalAddress());
      server = listener.accept();
      server.setOption(StandardSocketOptions.SO_SNDBUF, 16 << 10);
    }
    Duration never = Duration.ofMinutes(5);
    PortalLimits limits =
        PortalLimits.of(8, 64, 64 << 20, 64 << 20, never, never, Duration.ofSeconds(1));
    Transport plain = new PlainTransport(server);
    outbox = new Outbox(new BufferPool(64 << 20, 0), limits, watchdog, threads, plain, NAME);
    outbox.beginBatch();
    transport = plain.prompt().orElseThrow();
    outbox.answerPromptly(transport);
    outbox.finishBatch();
  }

  @AfterEach
  void close() throws IOException {
    outbox.close();
    transport.close();
    client.close();
    watchdog.close();
    threads.close();
  }

  private List<Reply> taken(int count) {
    List<Reply> replies = new ArrayList<>();
    outbox.beginBatch();
    for (int i = 0; i < count; i++) {
      replies.add(outbox.acquire(REPLY));
    }
    outbox.finishBatch();
    return replies;
  }

  /** Completes in a run of a thread that is not the connection's. */
  private static void sendInOneRun(List<Reply> replies) throws InterruptedException {
    IoThread[] device = new IoThread[1];
    device[0] =
        new IoThread(
            () -> {
              device[0].beginRun();
              for (int i = 0; i < replies.size(); i++) {
                ByteBuffer content = replies.get(i).buffer();
                content.putInt(0, i).position(REPLY);
                replies.get(i).send();
              }
              device[0].endRun();
            },
            "device");
    device[0].start();
    device[0].join();
  }

  private void awaitReplies(int count) throws IOException {
    ByteBuffer reply = ByteBuffer.allocate(REPLY);
    for (int i = 0; i < count; i++) {
      reply.clear();
      while (reply.hasRemaining()) {
        assertThat(client.read(reply)).isPositive();
      }
      assertThat(reply.getInt(0)).isEqualTo(i);
    }
  }

  private static boolean courierExists() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(NAME + "-courier"));
  }

  @Test
  void anIoThreadAnswersAtTheEndOfItsRunWithoutACourier() throws Exception {
    client.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
    server.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 20);
    sendInOneRun(taken(1));
    assertThat(courierExists()).isFalse();
    awaitReplies(1);
  }

  @Test
  void clientThatDoesNotReadDoesNotBlockTheIoThread() throws Exception {
    sendInOneRun(taken(REPLIES));
    awaitReplies(REPLIES);
    sendInOneRun(taken(REPLIES));
    awaitReplies(REPLIES);
  }

  @Test
  void closingReleasesTheCourierOfAClientThatDoesNotRead() throws Exception {
    sendInOneRun(taken(REPLIES));
    outbox.close();
    transport.close();
    while (courierExists()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void closingTheSocketFreesItsReader() throws Exception {
    CompletableFuture<Boolean> ended =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return transport.read(ByteBuffer.allocateDirect(16)) < 0;
              } catch (IOException e) {
                return true;
              }
            });
    server.close();
    transport.wake();
    assertThat(ended.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void endOfTheStreamIsReported() throws Exception {
    client.shutdownOutput();
    assertThat(transport.read(ByteBuffer.allocateDirect(16))).isNegative();
  }
}
