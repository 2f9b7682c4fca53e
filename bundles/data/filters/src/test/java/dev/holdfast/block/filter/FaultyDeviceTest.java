package dev.holdfast.block.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FaultyDeviceTest {
  private final ArrayDevice array = new ArrayDevice(8192);
  private final FaultyDevice device = new FaultyDevice(array);

  private Outcome write(int value) {
    Outcome outcome = new Outcome();
    device.write(0, ByteBuffer.wrap(new byte[] {(byte) value}), IoFlags.NONE, outcome);
    return outcome;
  }

  private int stored() {
    ByteBuffer buffer = ByteBuffer.allocate(1);
    array.read(0, buffer, failure -> {});
    return buffer.get(0);
  }

  @Test
  void aFaultBeforeTheEffectLeavesTheDeviceAsItWas() throws Exception {
    device.failBy(FaultPlan.every(IoKind.WRITE, ErrorCode.NO_SPACE));
    assertThat(write(1).await()).contains(ErrorCode.NO_SPACE);
    assertThat(stored()).isZero();
  }

  @Test
  void aFaultAfterTheEffectLosesOnlyTheAnswer() throws Exception {
    device.failBy((kind, call) -> Optional.of(new Fault(ErrorCode.IO, true)));
    assertThat(write(1).await()).contains(ErrorCode.IO);
    assertThat(stored()).isEqualTo(1);
  }

  @Test
  void chanceIsRepeatable() throws Exception {
    List<List<Optional<ErrorCode>>> runs = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      FaultyDevice fresh = new FaultyDevice(new ArrayDevice(8192));
      fresh.failBy(FaultPlan.random(42, 0.3, ErrorCode.IO));
      List<Optional<ErrorCode>> codes = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        Outcome outcome = new Outcome();
        fresh.flush(outcome);
        codes.add(outcome.await());
      }
      runs.add(codes);
    }
    assertThat(runs.get(0)).isEqualTo(runs.get(1));
    assertThat(runs.get(0).stream().filter(Optional::isPresent).count()).isBetween(30L, 90L);
  }

  @Test
  void hangingRequestEndsWhenTheDeviceCloses() throws Exception {
    device.stall();
    Outcome outcome = write(1);
    assertThat(outcome.isDone()).isFalse();
    device.close();
    assertThat(outcome.await()).isEmpty();
  }
}
