package dev.holdfast.engine.sparse.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BufferCacheTest {
  private final List<StringBuilder> made = new ArrayList<>();
  private final BufferCache<StringBuilder> spares =
      new BufferCache<>(
          2,
          new BufferCache.Kind<>(
              this::make,
              () -> new StringBuilder("small"),
              one -> made.stream().anyMatch(large -> large == one),
              builder -> builder.setLength(0)));
  private int left = 100;

  private StringBuilder make() {
    if (left-- == 0) {
      throw new OutOfMemoryError("planted");
    }
    made.add(new StringBuilder());
    return made.get(made.size() - 1);
  }

  @Test
  void returnedBufferIsReusedInItsInitialState() {
    StringBuilder first = spares.take();
    first.append("used");
    spares.give(first);

    assertThat(spares.take()).isSameAs(first).isEmpty();
    assertThat(made).hasSize(1);
  }

  @Test
  void noTwoHoldTheSame() {
    assertThat(spares.take()).isNotSameAs(spares.take());
  }

  @Test
  void smallOnesAreLentBeyondTheMost() {
    StringBuilder first = spares.take();
    StringBuilder second = spares.take();
    StringBuilder third = spares.take();
    assertThat(third.toString()).isEqualTo("small");
    spares.give(third);
    spares.give(first);
    spares.give(second);

    assertThat(List.of(spares.take(), spares.take()))
        .allMatch(one -> one == first || one == second);
    assertThat(spares.take().toString()).isEqualTo("small");
    assertThat(made).hasSize(2);
  }

  @Test
  void smallOneIsLentWhenThereIsNoMemoryForALargeOne() {
    left = 0;
    assertThat(spares.take().toString()).isEqualTo("small");
    assertThat(spares.take()).isEmpty();
  }

  @Test
  void smallBatchTakesRequestsOfAnyLength() {
    DataBatch batch = DataBatch.small();
    for (int length : new int[] {1, 4096, 16 << 10, 1 << 20}) {
      DataRequest request = new DataRequest(0);
      request
          .begin(Wire.CMD_WRITE, 0, 0, length, (failure, done) -> {})
          .data(ByteBuffer.allocate(length), 0);
      assertThat(batch.add(request)).as("a write of %d bytes", length).isTrue();
    }
  }
}
