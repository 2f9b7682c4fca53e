package dev.holdfast.block.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ThrottledDeviceTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** Time that a test advances. */
  private static final class VirtualTime implements ThrottledDevice.Alarm {
    private final PriorityQueue<Call> calls = new PriorityQueue<>(Comparator.comparing(Call::at));
    private long now;

    private record Call(long at, Runnable task) {}

    @Override
    public void in(long nanos, Runnable task) {
      calls.add(new Call(now + nanos, task));
    }

    void pass(long nanos) {
      long end = now + nanos;
      while (!calls.isEmpty() && calls.peek().at() <= end) {
        Call next = calls.remove();
        now = next.at();
        next.task().run();
      }
      now = end;
    }
  }

  private final VirtualTime time = new VirtualTime();
  private final List<String> issued = new ArrayList<>();
  private final ThrottledDevice device =
      new ThrottledDevice("demo", new Recording(), () -> time.now, time);

  private final class Recording extends ForwardingBlockDevice {
    Recording() {
      super(new ArrayDevice(1 << 20));
    }

    @Override
    public void read(long offset, ByteBuffer target, Completion completion) {
      issued.add("r" + offset);
      completion.completed(null);
    }

    @Override
    public void write(long offset, ByteBuffer source, int flags, Completion completion) {
      issued.add("w" + offset);
      completion.completed(null);
    }
  }

  private void read(int number) {
    device.read(number, ByteBuffer.allocate(512), failure -> {});
  }

  private void write(int number, int bytes) {
    device.write(number, ByteBuffer.allocate(bytes), IoFlags.NONE, failure -> {});
  }

  private static IoLimits requests(long perSecond) {
    return new IoLimits(perSecond, 0, 0, 0, 0, 0, 1);
  }

  @Test
  void burstPassesAtOnceAndTheRestAtTheRate() {
    device.limit(requests(10));
    for (int i = 0; i < 25; i++) {
      read(i);
    }
    assertThat(issued).hasSize(10);
    time.pass(SECOND / 2);
    assertThat(issued).hasSize(15);
    time.pass(SECOND);
    assertThat(issued).hasSize(25);
  }

  @Test
  void requestsPassInTheirOrder() {
    device.limit(requests(1));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      if (i % 3 == 0) {
        write(i, 512);
      } else {
        read(i);
      }
      expected.add((i % 3 == 0 ? "w" : "r") + i);
    }
    time.pass(20 * SECOND);
    assertThat(issued).isEqualTo(expected);
  }

  @Test
  void readsDoNotWaitForWritesThatExceedTheirOwnLimit() {
    device.limit(new IoLimits(0, 0, 0, 0, 1, 0, 1));
    write(1, 512);
    write(2, 512);
    read(3);
    assertThat(issued).containsExactly("w1", "r3");
    time.pass(SECOND);
    assertThat(issued).containsExactly("w1", "r3", "w2");
  }

  @Test
  void requestLargerThanTheAllowancePassesAndDelaysLaterOnes() {
    device.limit(new IoLimits(0, 1000, 0, 0, 0, 0, 1));
    write(1, 3000);
    write(2, 1000);
    assertThat(issued).containsExactly("w1");
    time.pass(2 * SECOND);
    assertThat(issued).containsExactly("w1");
    time.pass(SECOND);
    assertThat(issued).containsExactly("w1", "w2");
  }

  @Test
  void unusedAllowanceIsKeptForTheBurstDuration() {
    device.limit(new IoLimits(10, 0, 0, 0, 0, 0, 3));
    time.pass(100 * SECOND);
    for (int i = 0; i < 50; i++) {
      read(i);
    }
    assertThat(issued).hasSize(30);
  }

  @Test
  void removedLimitsReleaseAllRequestsAtOnce() {
    device.limit(requests(1));
    for (int i = 0; i < 10; i++) {
      read(i);
    }
    device.limit(IoLimits.NONE);
    assertThat(issued).hasSize(10);
    read(10);
    assertThat(issued).hasSize(11);
  }

  @Test
  void newLimitsApplyToWaitingRequests() {
    device.limit(requests(1));
    for (int i = 0; i < 10; i++) {
      read(i);
    }
    device.limit(requests(4));
    assertThat(issued).hasSize(5);
    time.pass(SECOND);
    assertThat(issued).hasSize(9);
  }

  @Test
  void flushesAreNotHeld() {
    device.limit(requests(1));
    read(1);
    read(2);
    Outcome flushed = new Outcome();
    device.flush(flushed);
    assertThat(flushed.isDone()).isTrue();
  }

  @Test
  void closingFailsWaitingRequests() throws Exception {
    device.limit(requests(1));
    read(1);
    Outcome waiting = new Outcome();
    device.read(2, ByteBuffer.allocate(512), waiting);
    device.close();
    assertThat(waiting.await()).contains(ErrorCode.IO);
    Outcome late = new Outcome();
    device.read(3, ByteBuffer.allocate(512), late);
    assertThat(late.await()).contains(ErrorCode.IO);
  }

  @Test
  void withoutLimitsNothingIsAllocated() {
    com.sun.management.ThreadMXBean beans =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    BlockDevice free =
        new ThrottledDevice("free", new MeteredDevice(new Nothing()), () -> 0, (nanos, task) -> {});
    ByteBuffer buffer = ByteBuffer.allocateDirect(512);
    Completion ignored = failure -> {};
    long thread = Thread.currentThread().getId();
    for (int i = 0; i < 20_000; i++) {
      free.read(0, buffer, ignored);
    }
    long before = beans.getThreadAllocatedBytes(thread);
    for (int i = 0; i < 10_000; i++) {
      free.read(0, buffer, ignored);
    }
    assertThat(beans.getThreadAllocatedBytes(thread) - before).isLessThan(10_000);
  }

  private static final class Nothing extends ForwardingBlockDevice {
    Nothing() {
      super(new ArrayDevice(4096));
    }

    @Override
    public void read(long offset, ByteBuffer target, Completion completion) {
      completion.completed(null);
    }
  }

  /** For any arrival times: no interval passes more than the burst and the rate allow. */
  @Property(tries = 200)
  void neverMoreThanAllowedNorLessThanPossible(@ForAll long seed) {
    new ThrottledDeviceTest().play(seed);
  }

  private void play(long seed) {
    Random random = new Random(seed);
    int rate = 1 + random.nextInt(50);
    device.limit(requests(rate));
    int asked = 0;
    long start = time.now;
    for (int i = 0; i < 40; i++) {
      int batch = random.nextInt(20);
      for (int j = 0; j < batch; j++) {
        read(asked++);
      }
      time.pass((long) (random.nextDouble() * SECOND));
      double seconds = (time.now - start) / (double) SECOND;
      assertThat(issued.size()).isLessThanOrEqualTo((int) (rate * (1 + seconds) + 1e-6));
    }
    time.pass((asked / rate + 2) * SECOND);
    assertThat(issued).hasSize(asked);
  }
}
