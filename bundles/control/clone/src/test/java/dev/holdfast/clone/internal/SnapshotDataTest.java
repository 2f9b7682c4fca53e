package dev.holdfast.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.RegionCopy.Range;
import org.junit.jupiter.api.Test;

class SnapshotDataTest {
  private static final long TIB = 1L << 40;
  private static final long BLOCK = 4096;

  private final SnapshotData data = new SnapshotData();

  @Test
  void dataBeyondEightTebibytesIsFound() {
    data.add(0, BLOCK);
    data.add(9 * TIB, 3 * BLOCK);
    assertThat(data.within(new Range(9 * TIB - BLOCK, 16 * BLOCK)))
        .containsExactly(new Range(9 * TIB, 3 * BLOCK));
    assertThat(data.within(new Range(0, 10 * TIB)))
        .containsExactly(new Range(0, BLOCK), new Range(9 * TIB, 3 * BLOCK));
  }

  @Test
  void rangesAreWholeBlocksAndAdjacentOnesAreOne() {
    data.add(BLOCK + 1, 10);
    data.add(2 * BLOCK, BLOCK);
    data.add(5 * BLOCK, BLOCK);
    assertThat(data.within(new Range(0, 16 * BLOCK)))
        .containsExactly(new Range(BLOCK, 2 * BLOCK), new Range(5 * BLOCK, BLOCK));
  }

  @Test
  void rangesAreCutToTheRequestedPart() {
    data.add(0, 8 * BLOCK);
    assertThat(data.within(new Range(2 * BLOCK, 3 * BLOCK)))
        .containsExactly(new Range(2 * BLOCK, 3 * BLOCK));
    assertThat(data.within(new Range(8 * BLOCK, BLOCK))).isEmpty();
    assertThat(new SnapshotData().within(new Range(0, BLOCK))).isEmpty();
  }
}
