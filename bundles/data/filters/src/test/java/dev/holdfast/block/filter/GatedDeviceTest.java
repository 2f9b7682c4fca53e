package dev.holdfast.block.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class GatedDeviceTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final FaultyDevice below = new FaultyDevice(new ArrayDevice(1 << 20));
  private final GatedDevice gate = new GatedDevice("vol", below);

  private static ByteBuffer filled(int value) {
    ByteBuffer buffer = ByteBuffer.allocate(4096);
    while (buffer.hasRemaining()) {
      buffer.put((byte) value);
    }
    return buffer.flip();
  }

  private Outcome write(int value) {
    Outcome outcome = new Outcome();
    gate.write(0, filled(value), IoFlags.NONE, outcome);
    return outcome;
  }

  private int firstByte() throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(1);
    Outcome outcome = new Outcome();
    gate.read(0, buffer, outcome);
    assertThat(outcome.await()).isEmpty();
    return buffer.get(0);
  }

  @Test
  void anOpenGateForwards() throws Exception {
    assertThat(write(7).await()).isEmpty();
    assertThat(firstByte()).isEqualTo(7);
  }

  @Test
  void requestFailsWhenTheDeviceThrowsAndTheGateStaysUsable() throws Exception {
    BlockDevice thrower =
        new ForwardingBlockDevice(new ArrayDevice(1 << 20)) {
          @Override
          public void flush(Completion completion) {
            throw new AssertionError("planted");
          }
        };
    GatedDevice gated = new GatedDevice("vol", thrower);
    Outcome outcome = new Outcome();
    gated.flush(outcome);
    assertThat(outcome.await()).contains(ErrorCode.INTERNAL);
    assertThat(gated.shut(LONG)).isTrue();
  }

  @Test
  void aHeldRequestIsIssuedWhenTheHoldEnds() throws Exception {
    GatedDevice.Hold hold = gate.hold(LONG);
    Outcome outcome = write(9);
    assertThat(outcome.isDone()).isFalse();
    assertThat(below.calls()).isZero();
    hold.close();
    assertThat(outcome.await()).isEmpty();
    assertThat(firstByte()).isEqualTo(9);
  }

  @Test
  void holdWaitsForRequestsInFlight() throws Exception {
    below.stall();
    Outcome inFlight = write(1);
    CompletableFuture<GatedDevice.Hold> holding =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return gate.hold(LONG);
              } catch (StorageException e) {
                throw new AssertionError(e);
              }
            });
    Outcome held = awaitHeld();
    assertThat(holding.isDone()).isFalse();
    below.resume();
    GatedDevice.Hold hold = holding.get(30, TimeUnit.SECONDS);
    assertThat(inFlight.await()).isEmpty();
    assertThat(held.isDone()).isFalse();
    hold.close();
    assertThat(held.await()).isEmpty();
  }

  /** A request that does not reach the stalled device proves that the gate holds. */
  private Outcome awaitHeld() {
    while (true) {
      int before = below.stalledRequests();
      Outcome outcome = write(2);
      if (below.stalledRequests() == before) {
        return outcome;
      }
    }
  }

  @Test
  void holdFailsAtItsDeadlineAndTheGateOpensAgain() throws Exception {
    below.stall();
    Outcome inFlight = write(1);
    assertThatThrownBy(() -> gate.hold(Duration.ofMillis(1)))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
        .hasMessageContaining("vol")
        .hasMessageContaining("1 requests");
    below.resume();
    assertThat(inFlight.await()).isEmpty();
    assertThat(write(3).await()).isEmpty();
  }

  @Test
  void oneHoldExcludesAnother() throws Exception {
    try (GatedDevice.Hold hold = gate.hold(LONG)) {
      assertThat(hold).isNotNull();
      assertThatThrownBy(() -> gate.hold(LONG))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    }
    gate.hold(LONG).close();
  }

  @Test
  void heldRequestsReachTheDeviceThatReplacedTheOther() throws Exception {
    ArrayDevice next = new ArrayDevice(1 << 21);
    Outcome held;
    try (GatedDevice.Hold hold = gate.hold(LONG)) {
      held = write(5);
      assertThat(hold.replace(next)).isSameAs(below);
      assertThat(gate.size()).isEqualTo(1 << 21);
    }
    assertThat(held.await()).isEmpty();
    assertThat(below.calls()).isZero();
    assertThat(firstByte()).isEqualTo(5);
  }

  @Test
  void aVacatedGateKeepsItsSize() throws Exception {
    try (GatedDevice.Hold hold = gate.hold(LONG)) {
      BlockDevice former = hold.vacate();
      assertThat(gate.size()).isEqualTo(1 << 20);
      assertThat(gate.blockSize()).isEqualTo(4096);
      hold.replace(former);
    }
    assertThat(write(1).await()).isEmpty();
  }

  @Test
  void aShutGateRefusesNewAndHeldRequests() throws Exception {
    GatedDevice.Hold hold = gate.hold(LONG);
    Outcome held = write(1);
    assertThat(gate.shut(LONG)).isTrue();
    assertThat(held.await()).contains(ErrorCode.IO);
    assertThat(write(2).await()).contains(ErrorCode.IO);
    hold.close();
    assertThat(write(3).await()).contains(ErrorCode.IO);
    assertThat(below.calls()).isZero();
  }

  @Test
  void shutReturnsWhetherRequestsAreInFlight() throws Exception {
    below.stall();
    Outcome inFlight = write(1);
    assertThat(gate.shut(Duration.ofMillis(1))).isFalse();
    below.resume();
    assertThat(inFlight.await()).isEmpty();
    assertThat(gate.shut(LONG)).isTrue();
  }

  @Test
  void completedRequestsAreCounted() throws Exception {
    below.failBy(FaultPlan.onCall(1, ErrorCode.NO_SPACE));
    write(1).await();
    write(2).await();
    below.stall();
    Outcome inFlight = write(3);
    IoStatistics statistics = gate.statistics();
    assertThat(statistics.of(IoKind.WRITE)).isEqualTo(new IoStatistics.Count(2, 4096, 1));
    assertThat(statistics.of(IoKind.READ)).isEqualTo(new IoStatistics.Count(0, 0, 0));
    assertThat(statistics.inFlight()).isEqualTo(1);
    below.resume();
    inFlight.await();
  }

  @Test
  void manyRequestsMayBeInFlightAtOnce() throws Exception {
    below.stall();
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      outcomes.add(write(i));
    }
    assertThat(gate.statistics().inFlight()).isEqualTo(1000);
    below.resume();
    for (Outcome outcome : outcomes) {
      assertThat(outcome.await()).isEmpty();
    }
    assertThat(gate.statistics().of(IoKind.WRITE).requests()).isEqualTo(1000);
  }

  @Test
  void noRequestIsInTheDeviceWhileItIsHeld() throws Exception {
    AtomicLong inside = new AtomicLong();
    AtomicBoolean stop = new AtomicBoolean();
    GatedDevice watched = new GatedDevice("watched", new InsideDevice(inside));
    CountDownLatch writers = new CountDownLatch(3);
    AtomicLong ended = new AtomicLong();
    AtomicLong issued = new AtomicLong();
    for (int i = 0; i < 3; i++) {
      Thread writer =
          new Thread(
              () -> {
                while (!stop.get()) {
                  issued.incrementAndGet();
                  watched.flush(failure -> ended.incrementAndGet());
                }
                writers.countDown();
              });
      writer.setDaemon(true);
      writer.start();
    }
    for (int round = 0; round < 300; round++) {
      try (GatedDevice.Hold hold = watched.hold(LONG)) {
        assertThat(hold).isNotNull();
        for (int look = 0; look < 50; look++) {
          assertThat(inside.get()).isZero();
        }
      }
    }
    stop.set(true);
    assertThat(writers.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(watched.shut(LONG)).isTrue();
    assertThat(ended.get()).isEqualTo(issued.get());
  }

  /** A device that another opening has taken over, and the tasks that run later. */
  private final List<Runnable> later = new ArrayList<>();

  private GatedDevice takenOver() {
    BlockDevice refusing =
        new ForwardingBlockDevice(new ArrayDevice(1 << 20)) {
          @Override
          public void write(long offset, ByteBuffer source, int flags, Completion completion) {
            completion.completed(new StorageException(ErrorCode.FORBIDDEN, "vol was taken over"));
          }
        };
    return new GatedDevice("vol", refusing, System::nanoTime, later::add);
  }

  private static Outcome write(GatedDevice gated) {
    Outcome outcome = new Outcome();
    gated.write(0, filled(1), IoFlags.NONE, outcome);
    return outcome;
  }

  @Test
  void requestThatAnotherOpeningRefusedEndsWhenTheGateIsShut() throws Exception {
    GatedDevice gated = takenOver();
    Outcome first = write(gated);
    Outcome second = write(gated);
    assertThat(first.isDone()).isFalse();
    assertThat(second.isDone()).isFalse();
    assertThat(gated.shut(Duration.ZERO)).as("drained").isTrue();
    assertThat(first.await()).contains(ErrorCode.FORBIDDEN);
    assertThat(second.await()).contains(ErrorCode.FORBIDDEN);
    assertThat(write(gated).await()).contains(ErrorCode.IO);
  }

  @Test
  void requestThatAnotherOpeningRefusedEndsAfterALimit() throws Exception {
    GatedDevice gated = takenOver();
    Outcome outcome = write(gated);
    assertThat(outcome.isDone()).isFalse();
    assertThat(later).hasSize(1);
    later.get(0).run();
    assertThat(outcome.await()).contains(ErrorCode.FORBIDDEN);
    Outcome next = write(gated);
    assertThat(next.isDone()).isFalse();
    assertThat(later).hasSize(2);
    later.get(1).run();
    assertThat(next.await()).contains(ErrorCode.FORBIDDEN);
  }
}
