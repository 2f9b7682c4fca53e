package dev.holdfast.frontend.iscsi.internal.scsi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoThread;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.reservation.WriteGate;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class CompareAndWriteTest {
  private static final byte COMPARE_AND_WRITE = (byte) 0x89;

  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

  private final Lock lock = new ReentrantLock();
  private final MemoryBlockDevice device = new MemoryBlockDevice(1 << 20);

  private Plan plan() throws CommandException {
    ExportState state =
        (ExportState)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ExportState.class},
                (proxy, method, arguments) -> method.getName().equals("lock") ? lock : null);
    ByteBuffer command = ByteBuffer.allocate(16).put(0, COMPARE_AND_WRITE).put(13, (byte) 1);
    return new Transfers(new Volume("v", "iqn.v", device, state, new WriteGate()))
        .compareAndWrite(new Cdb(command));
  }

  @Test
  void deferredRequestIsMadeBeforeTheCommandWaitsForTheLock() throws Exception {
    Plan plan = plan();
    CountDownLatch made = new CountDownLatch(1);
    CompletableFuture<Void> ended = new CompletableFuture<>();
    lock.lock();
    try {
      IoThread connection =
          new IoThread(() -> runDeferring(made::countDown, plan, ended), "connection");
      connection.start();
      // The holder of the lock waits for that request.
      made.await();
    } finally {
      lock.unlock();
    }
    assertThat(ended).succeedsWithin(TEN_SECONDS);
  }

  private static void runDeferring(Runnable request, Plan plan, CompletableFuture<Void> ended) {
    IoThread self = (IoThread) Thread.currentThread();
    self.beginRun();
    try {
      assertThat(IoThread.defer(request)).isTrue();
      plan.action().run(null, ByteBuffer.allocate(2 * Volume.BLOCK));
      ended.complete(null);
    } catch (CommandException | AssertionError e) {
      ended.completeExceptionally(e);
    } finally {
      self.endRun();
    }
  }
}
