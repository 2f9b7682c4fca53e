package dev.holdfast.portal.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.Reply;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutboxTest {
  private static final String NAME = "outbox-test";

  private final Semaphore sent = new Semaphore(0);
  private final Watchdog watchdog = new Watchdog();
  private final PortalThreads threads = new PortalThreads();
  private final Outbox outbox = outbox(64);

  private Outbox outbox(int replies) {
    return outbox(replies, new BufferPool(64 << 20, 0));
  }

  private Outbox outbox(int replies, BufferPool pool) {
    PortalLimits limits =
        PortalLimits.of(
            8,
            replies,
            4 << 20,
            64 << 20,
            Duration.ofMinutes(5),
            Duration.ofMinutes(5),
            Duration.ofSeconds(1));
    return new Outbox(pool, limits, watchdog, threads, new Counting(), NAME);
  }

  @AfterEach
  void close() {
    outbox.close();
    watchdog.close();
    threads.close();
  }

  /** A client that accepts everything immediately. */
  private final class Counting implements Transport {
    @Override
    public int read(ByteBuffer target) {
      return -1;
    }

    @Override
    public void write(ByteBuffer[] sources, int count) {
      for (int i = 0; i < count; i++) {
        sources[i].position(sources[i].limit());
      }
      sent.release(count);
    }

    @Override
    public Optional<NonBlockingTransport> prompt() {
      return Optional.empty();
    }

    @Override
    public void close() {}
  }

  /** Completes after its batch, like a device that needs another thread. */
  private void sendLate() throws InterruptedException {
    outbox.beginBatch();
    Reply reply = outbox.acquire(16);
    outbox.finishBatch();
    reply.buffer().putLong(1);
    reply.send();
    sent.acquire();
  }

  private void sendWithinABatch() throws InterruptedException {
    outbox.beginBatch();
    Reply reply = outbox.acquire(16);
    reply.buffer().putLong(1);
    reply.send();
    outbox.finishBatch();
    sent.acquire();
  }

  private static Thread courier() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(NAME + "-courier"))
        .findFirst()
        .orElseThrow();
  }

  private static long waitsOf(Thread courier) {
    while (courier.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(courier.getId());
    return info.getWaitedCount();
  }

  @Test
  void batchesLeaveTheCourierAsleep() throws Exception {
    sendLate();
    Thread courier = courier();
    long before = waitsOf(courier);
    for (int i = 0; i < 1000; i++) {
      sendWithinABatch();
    }
    sendLate();
    assertThat(waitsOf(courier)).isEqualTo(before + 1);
  }

  @Test
  void completionIsTakenAndSentWhileTheConnectionWaitsForABuffer() throws Exception {
    BufferPool scarce = new BufferPool(BufferPool.sizeOf(0), Duration.ofMinutes(5).toNanos());
    Outbox one = outbox(64, scarce);
    CompletableFuture<Reply> taken = new CompletableFuture<>();
    Thread connection =
        new Thread(
            () -> {
              one.beginBatch();
              taken.complete(one.acquire(16));
              Reply next = one.acquire(16);
              next.buffer().putLong(2);
              next.send();
              one.finishBatch();
            });
    connection.start();
    Reply late = taken.get();
    while (connection.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    assertThat(one.offer(16)).isEmpty();
    late.buffer().putLong(1);
    late.send();
    sent.acquire(2);
    connection.join();
    one.close();
    assertThat(scarce.used()).isZero();
  }

  @Test
  void aSenderThatWaitsForRoomContinuesWhenTheCourierMadeIt() throws Exception {
    Outbox small = outbox(1);
    for (int i = 0; i < 200; i++) {
      small.beginBatch();
      Reply late = small.acquire(16);
      late.buffer().putLong(1);
      Thread device = new Thread(late::send);
      device.start();
      Reply next = small.acquire(16);
      next.buffer().putLong(2);
      next.send();
      small.finishBatch();
      sent.acquire(2);
      device.join();
    }
    small.close();
  }
}
