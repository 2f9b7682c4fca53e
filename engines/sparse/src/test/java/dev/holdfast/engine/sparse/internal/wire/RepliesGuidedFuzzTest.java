package dev.holdfast.engine.sparse.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;

/**
 * For all answers of a replica: a request ends at most once, only the requested bytes are changed,
 * and an invalid reply closes the connection.
 */
class RepliesGuidedFuzzTest {
  private static final byte UNTOUCHED = 0x55;
  private static final int[] READS = {512, 40_000, 16, 20_000};
  private static final int MARGIN = 64;
  private static final WireBuffers BUFFERS = new WireBuffers();
  private static final DataLoop LOOP = loop();

  private static DataLoop loop() {
    try {
      return new DataLoop();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterAll
  static void stop() {
    LOOP.close();
  }

  /** The first two bytes choose the size of the pieces in which the rest arrives. */
  @FuzzTest(maxDuration = "5m")
  void anyAnswerCompletesOnceOrBreaksTheConnectionOff(byte[] input) throws Exception {
    if (input.length < 2) {
      return;
    }
    int piece = 1 + (ByteBuffer.wrap(input).getShort() & 0xffff);
    byte[] said = Arrays.copyOfRange(input, 2, input.length);
    CompletableFuture<StorageException> lost = new CompletableFuture<>();
    DataConnection connection =
        new DataConnection(
            "replica", null, new ScriptedSocket(said, piece), LOOP, BUFFERS, lost::complete);
    int[] ended = new int[READS.length + 2];
    ByteBuffer[] targets = ask(connection, ended);
    while (!connection.dead()) {
      connection.readable();
    }
    StorageException cause = lost.get(30, TimeUnit.SECONDS);
    assertThat(cause.code()).as(cause.toString()).isEqualTo(ErrorCode.UNREACHABLE);
    for (int count : ended) {
      assertThat(count).isLessThanOrEqualTo(1);
    }
    for (ByteBuffer target : targets) {
      for (int i = 0; i < MARGIN; i++) {
        assertThat(target.get(i)).isEqualTo(UNTOUCHED);
        assertThat(target.get(target.capacity() - 1 - i)).isEqualTo(UNTOUCHED);
      }
    }
    connection.close();
  }

  private static ByteBuffer[] ask(DataConnection connection, int[] ended) {
    ByteBuffer[] targets = new ByteBuffer[READS.length];
    for (int i = 0; i < READS.length; i++) {
      targets[i] = ByteBuffer.allocate(READS[i] + 2 * MARGIN);
      Arrays.fill(targets[i].array(), UNTOUCHED);
      int index = i;
      connection.read(0, targets[i], MARGIN, READS[i], (failure, length) -> ended[index]++);
    }
    int write = READS.length;
    connection.write(0, ByteBuffer.allocate(64), 0, 64, (failure, length) -> ended[write]++);
    connection.sync((failure, length) -> ended[write + 1]++);
    connection.endOfBatch();
    return targets;
  }
}
