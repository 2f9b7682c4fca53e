package dev.holdfast.block.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.Completion;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Buffers, completions and closing. */
abstract class RequestTests extends DeviceTests {
  RequestTests(BlockDeviceFactory factory) {
    super(factory);
  }

  @Test
  final void onlyTheBytesBetweenPositionAndLimitAreTransferred() throws StorageException {
    byte[] content = bytes(16_384);
    ByteBuffer source = DeviceIo.direct(content).position(100).limit(9_000);
    Outcome write = new Outcome();
    device.write(50_000, source, IoFlags.NONE, write);
    write.get();
    assertThat(source.position()).isEqualTo(9_000);
    assertThat(source.limit()).isEqualTo(9_000);

    ByteBuffer target = ByteBuffer.allocateDirect(16_384).position(100).limit(9_000);
    Outcome read = new Outcome();
    device.read(50_000, target, read);
    read.get();
    assertThat(target.position()).isEqualTo(9_000);
    byte[] found = new byte[16_384];
    target.clear().get(found);
    byte[] expected = new byte[16_384];
    System.arraycopy(content, 100, expected, 100, 8_900);
    assertThat(found).isEqualTo(expected);
    assertThat(io.read(49_999, 1)).containsExactly(0);
    assertThat(io.read(58_900, 1)).containsExactly(0);
  }

  @Test
  final void sourceIsNotChangedAndMayBeReadOnly() throws StorageException {
    byte[] content = bytes(20_000);
    ByteBuffer source = DeviceIo.direct(content);
    Outcome outcome = new Outcome();
    device.write(4_097, source.asReadOnlyBuffer(), IoFlags.NONE, outcome);
    outcome.get();
    byte[] after = new byte[content.length];
    source.get(after);
    assertThat(after).isEqualTo(content);
    assertContent(io.read(4_097, content.length), content);
  }

  @Test
  final void everyRequestCompletesOnce() throws StorageException {
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      long offset = random.nextInt(SIZE + 8_192);
      for (int kind = 0; kind < 6; kind++) {
        Outcome outcome = new Outcome();
        request(kind, offset, outcome);
        outcomes.add(outcome);
      }
    }
    io.flush();
    device.close();
    for (int kind = 0; kind < 6; kind++) {
      Outcome outcome = new Outcome();
      request(kind, 0, outcome);
      outcomes.add(outcome);
    }
    assertThat(outcomes).as(hint()).allMatch(outcome -> outcome.calls() == 1);
  }

  private void request(int kind, long offset, Completion completion) {
    switch (kind) {
      case 0 -> device.read(offset, ByteBuffer.allocateDirect(4_096), completion);
      case 1 -> device.write(offset, DeviceIo.direct(bytes(4_096)), random.nextInt(2), completion);
      case 2 -> device.flush(completion);
      case 3 -> device.trim(offset, 10_000, IoFlags.NONE, completion);
      case 4 -> device.writeZeroes(offset, 10_000, IoFlags.NONE, completion);
      default -> device.extents(offset, 10_000, (at, length, extent) -> true, completion);
    }
  }

  @Test
  final void completionMayIssueTheNextRequest() throws StorageException {
    Outcome last = new Outcome();
    writeChain(0, last);
    last.get();
    for (int i = 0; i <= 100; i++) {
      assertThat(io.read(i * 4096L, 1)).containsExactly(i + 1);
    }
  }

  private void writeChain(int step, Outcome last) {
    device.write(
        step * 4096L,
        DeviceIo.direct(new byte[] {(byte) (step + 1)}),
        IoFlags.NONE,
        failure -> {
          if (failure == null && step < 100) {
            writeChain(step + 1, last);
          } else {
            last.completed(failure);
          }
        });
  }

  @Test
  final void flushAfterWritesSucceedsAgainAndAgain() throws StorageException {
    for (int i = 0; i < 10; i++) {
      io.write(i * 8_192L, bytes(4_096));
      io.flush();
    }
  }

  @Test
  final void closedDeviceRefusesRequests() {
    device.close();
    device.close();
    for (int kind = 0; kind < 6; kind++) {
      Outcome outcome = new Outcome();
      request(kind, 0, outcome);
      assertThat(outcome.failure()).as("request %d", kind).isEqualTo(ErrorCode.IO);
    }
  }

  @Test
  final void closingWaitsForRequestsInFlight() throws Exception {
    List<Outcome> issued = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(1);
    try {
      Outcome started = new Outcome();
      Future<Integer> writer =
          threads.submit(
              () -> {
                ErrorCode end = null;
                int count = 0;
                while (end == null) {
                  Outcome outcome = new Outcome();
                  device.write(
                      (count % 1_000) * 4096L,
                      DeviceIo.direct(new byte[4096]),
                      IoFlags.NONE,
                      outcome);
                  issued.add(outcome);
                  if (count++ == 0) {
                    started.completed(null);
                  }
                  end = outcome.ending().orElse(null);
                }
                assertThat(end).isEqualTo(ErrorCode.IO);
                return count;
              });
      started.get();
      device.close();
      assertThat(writer.get()).isPositive();
      assertThat(issued).allMatch(outcome -> outcome.calls() == 1);
    } finally {
      threads.shutdownNow();
    }
  }
}
