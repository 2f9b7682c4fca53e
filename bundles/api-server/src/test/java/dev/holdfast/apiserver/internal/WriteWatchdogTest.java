package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real connections whose other end reads, or does not. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class WriteWatchdogTest {
  /** More than the kernel keeps for a connection. */
  private static final int MUCH = 64 << 20;

  private SocketChannel reader;
  private SocketChannel writer;

  @BeforeEach
  void connect() throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      reader = SocketChannel.open(listener.getLocalAddress());
      writer = listener.accept();
    }
  }

  @AfterEach
  void disconnect() throws IOException {
    reader.close();
    writer.close();
  }

  private static WriteWatchdog watchdog(Duration limit) {
    return new WriteWatchdog(limit, Thread::new);
  }

  @Test
  void aWriteThatNobodyReadsIsEndedAndTheThreadGoesOnUninterrupted() throws Exception {
    try (WriteWatchdog watchdog = watchdog(Duration.ofMillis(50))) {
      OutputStream out = watchdog.guard(Channels.newOutputStream(writer));
      assertThatThrownBy(() -> out.write(new byte[MUCH]))
          .isInstanceOf(ClosedByInterruptException.class);
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
      assertThat(writer.isOpen()).isFalse();
    }
  }

  @Test
  void oneStuckWriteAfterAnotherIsEnded() throws Exception {
    try (WriteWatchdog watchdog = watchdog(Duration.ofMillis(50))) {
      for (int i = 0; i < 3; i++) {
        OutputStream out = watchdog.guard(Channels.newOutputStream(writer));
        assertThatThrownBy(() -> out.write(new byte[MUCH])).isInstanceOf(IOException.class);
        disconnect();
        connect();
      }
    }
  }

  @Test
  void everythingThatIsReadArrivesHoweverMuchItIs() throws Exception {
    try (WriteWatchdog watchdog = watchdog(Duration.ofSeconds(30))) {
      Thread thread =
          new Thread(
              () -> {
                try (OutputStream out = watchdog.guard(Channels.newOutputStream(writer))) {
                  out.write(1);
                  out.write(new byte[MUCH]);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      thread.start();
      assertThat(Channels.newInputStream(reader).readAllBytes()).hasSize(MUCH + 1);
      thread.join();
    }
  }
}
