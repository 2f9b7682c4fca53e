package dev.holdfast.block.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares the counts of a gate with its client's, and its times with the clock's. */
class GateMetricsTest {
  private static final int THREADS = 4;
  private static final int REQUESTS = 250_000;
  private static final Duration LONG = Duration.ofSeconds(30);

  private final AtomicLong clock = new AtomicLong(1_000);

  /** Completes every request after a time on the set clock, some requests with an error. */
  private final class PlannedDevice extends ForwardingBlockDevice {
    private volatile long nanos;

    PlannedDevice() {
      super(new ArrayDevice(1 << 20));
    }

    void takes(long millis) {
      nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void end(Completion completion) {
      clock.addAndGet(nanos);
      completion.completed(null);
    }

    @Override
    public void read(long offset, ByteBuffer target, Completion completion) {
      end(completion);
    }

    @Override
    public void write(long offset, ByteBuffer source, int flags, Completion completion) {
      end(completion);
    }

    @Override
    public void flush(Completion completion) {
      end(completion);
    }
  }

  /** Requests of one client and their results. */
  private static final class Tally {
    private final Map<IoKind, long[]> counts = new EnumMap<>(IoKind.class);
    private final Map<IoKind, Map<ErrorCode, Long>> errors = new EnumMap<>(IoKind.class);

    Completion expect(IoKind kind, long length) {
      return failure -> {
        long[] count = counts.computeIfAbsent(kind, key -> new long[2]);
        count[0]++;
        if (failure == null) {
          count[1] += length;
        } else {
          errors
              .computeIfAbsent(kind, key -> new EnumMap<>(ErrorCode.class))
              .merge(failure.code(), 1L, Long::sum);
        }
      };
    }
  }

  /** Fails one request in seven, with a code that depends on its offset. */
  private static final class FailingDevice extends ForwardingBlockDevice {
    private static final ErrorCode[] CODES = {ErrorCode.IO, ErrorCode.NO_SPACE, ErrorCode.TIMEOUT};

    FailingDevice() {
      super(new ArrayDevice(4096));
    }

    private static void end(long offset, Completion completion) {
      completion.completed(
          offset % 7 == 0
              ? new StorageException(CODES[(int) (offset % CODES.length)], "planned")
              : null);
    }

    @Override
    public void read(long offset, ByteBuffer target, Completion completion) {
      end(offset, completion);
    }

    @Override
    public void write(long offset, ByteBuffer source, int flags, Completion completion) {
      end(offset, completion);
    }

    @Override
    public void trim(long offset, long length, int flags, Completion completion) {
      end(offset, completion);
    }
  }

  private static void send(BlockDevice gate, Tally tally, Random random) {
    ByteBuffer buffer = ByteBuffer.allocate(512);
    for (int i = 0; i < REQUESTS; i++) {
      int length = 1 + random.nextInt(512);
      long offset = random.nextInt(10_000);
      buffer.clear().limit(length);
      switch (random.nextInt(3)) {
        case 0 -> gate.read(offset, buffer, tally.expect(IoKind.READ, length));
        case 1 -> gate.write(offset, buffer, IoFlags.NONE, tally.expect(IoKind.WRITE, length));
        default -> gate.trim(offset, length, IoFlags.NONE, tally.expect(IoKind.TRIM, length));
      }
    }
  }

  @Test
  void countsEqualThoseOfClientsOverOneMillionRequestsWithErrors() throws Exception {
    GatedDevice gate = new GatedDevice("vol", new FailingDevice());
    List<Tally> tallies = IntStream.range(0, THREADS).mapToObj(i -> new Tally()).toList();
    List<Thread> threads =
        IntStream.range(0, THREADS)
            .mapToObj(i -> new Thread(() -> send(gate, tallies.get(i), new Random(i))))
            .toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }

    GateStatistics found = gate.details();
    for (IoKind kind : List.of(IoKind.READ, IoKind.WRITE, IoKind.TRIM)) {
      long requests = tallies.stream().mapToLong(t -> t.counts.get(kind)[0]).sum();
      long bytes = tallies.stream().mapToLong(t -> t.counts.get(kind)[1]).sum();
      Map<ErrorCode, Long> errors = new EnumMap<>(ErrorCode.class);
      tallies.forEach(t -> t.errors.get(kind).forEach((c, n) -> errors.merge(c, n, Long::sum)));
      assertThat(found.io().of(kind).requests()).isEqualTo(requests);
      assertThat(found.io().of(kind).bytes()).isEqualTo(bytes);
      assertThat(found.errors()).containsEntry(kind, errors);
      assertThat(errors).hasSize(3);
    }
    assertThat(found.durations().get(IoKind.READ).count())
        .isEqualTo(found.io().of(IoKind.READ).requests());
    assertThat(found.io().inFlight()).isZero();
  }

  @Test
  void eachDurationFallsIntoTheBucketWhoseBoundItDoesNotExceed() {
    PlannedDevice device = new PlannedDevice();
    GatedDevice gate = new GatedDevice("vol", device, clock::get);
    for (long millis : new long[] {0, 1, 10, 11, 100, 20_000}) {
      device.takes(millis);
      gate.read(0, ByteBuffer.allocate(1), failure -> {});
    }

    DurationCounts reads = gate.details().durations().get(IoKind.READ);
    assertThat(reads.counts()).containsExactly(1L, 0L, 0L, 1L, 0L, 0L, 1L, 1L, 1L, 0L, 0L, 1L);
    assertThat(reads.nanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(20_122));
    assertThat(gate.details().durations().get(IoKind.WRITE).count()).isZero();
  }

  @Test
  void timeAtTheClosedGateCountsForTheRequestAndForTheCause() throws Exception {
    GatedDevice gate = new GatedDevice("vol", new PlannedDevice(), clock::get);
    GatedDevice.Hold hold = gate.hold(GateCause.REPLACEMENT, LONG);
    gate.write(0, ByteBuffer.allocate(1), IoFlags.NONE, failure -> {});
    assertThat(gate.details().io().inFlight()).isEqualTo(1);
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(40));
    hold.close();

    GateStatistics found = gate.details();
    int upTo50Millis = DurationCounts.BOUNDS.indexOf(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(found.durations().get(IoKind.WRITE).counts().get(upTo50Millis)).isEqualTo(1);
    assertThat(found.holds()).containsOnlyKeys(GateCause.REPLACEMENT);
    assertThat(found.holds().get(GateCause.REPLACEMENT).counts().get(upTo50Millis)).isEqualTo(1);
    assertThat(found.io().inFlight()).isZero();
  }

  @Test
  void timeThatLimitsCostIsSummed() {
    Queue<Runnable> alarms = new ArrayDeque<>();
    ThrottledDevice throttled =
        new ThrottledDevice(
            "vol", new PlannedDevice(), clock::get, (nanos, task) -> alarms.add(task));
    throttled.limit(new IoLimits(10, 0, 0, 0, 0, 0, 1));
    for (int i = 0; i < 12; i++) {
      throttled.read(0, ByteBuffer.allocate(1), failure -> {});
    }
    assertThat(throttled.waitedNanos()).isZero();
    for (int i = 0; i < 2; i++) {
      clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
      alarms.remove().run();
    }
    assertThat(throttled.waitedNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100 + 200));
  }
}
