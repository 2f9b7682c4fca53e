package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BlockIndexTest {
  private static final int BLOCKS = 5_000;

  record Range(int first, int end, int layer) {}

  @Provide
  Arbitrary<List<Range>> ranges() {
    Arbitrary<Integer> block = Arbitraries.integers().between(0, BLOCKS);
    Arbitrary<Integer> layer = Arbitraries.integers().between(0, BlockIndex.MAX_LAYER);
    return Combinators.combine(block, block, layer)
        .as((a, b, value) -> new Range(Math.min(a, b), Math.max(a, b), value))
        .list()
        .ofMaxSize(30);
  }

  @Property(tries = 200)
  void agreesWithAPlainArray(@ForAll("ranges") List<Range> ranges, @ForAll boolean compact) {
    BlockIndex index = new BlockIndex(BLOCKS);
    int[] plain = new int[BLOCKS];
    for (Range range : ranges) {
      index.set(range.first(), range.end(), range.layer());
      Arrays.fill(plain, range.first(), range.end(), range.layer());
    }
    if (compact) {
      index.compact();
    }
    for (int block = 0; block < BLOCKS; block++) {
      assertThat(index.layer(block)).isEqualTo(plain[block]);
    }
    for (int block = 0; block < BLOCKS; ) {
      int end = block;
      while (end < BLOCKS && plain[end] == plain[block]) {
        end++;
      }
      assertThat(index.runEnd(block, BLOCKS)).isEqualTo(end);
      block = end;
    }
  }

  @Test
  void wholeChunksStayUniform() {
    BlockIndex index = new BlockIndex(1 << 20);
    index.set(0, 1 << 20, 7);
    assertThat(index.mixedChunks()).isZero();
    index.set(1024, 1025, 8);
    assertThat(index.mixedChunks()).isOne();
    index.set(1025, 2048, 8);
    index.compact();
    assertThat(index.mixedChunks()).isZero();
    assertThat(index.layer(2047)).isEqualTo(8);
    assertThat(index.layer(2048)).isEqualTo(7);
  }

  @Property(tries = 100)
  void growsByNothing(
      @ForAll("ranges") List<Range> ranges, @ForAll @IntRange(max = 3_000) int more) {
    BlockIndex index = new BlockIndex(BLOCKS);
    int[] plain = new int[BLOCKS + more];
    for (Range range : ranges) {
      index.set(range.first(), range.end(), range.layer());
      Arrays.fill(plain, range.first(), range.end(), range.layer());
    }
    BlockIndex grown = index.grown(BLOCKS + more);
    for (int block = 0; block < BLOCKS + more; block++) {
      assertThat(grown.layer(block)).isEqualTo(plain[block]);
    }
  }

  @Property(tries = 100)
  void findsAndReplacesALayer(@ForAll("ranges") List<Range> ranges, @ForAll byte from) {
    int layer = from & 0xff;
    int other = layer ^ 1;
    BlockIndex index = new BlockIndex(BLOCKS);
    int[] plain = new int[BLOCKS];
    for (Range range : ranges) {
      index.set(range.first(), range.end(), range.layer() % 2 == 0 ? layer : range.layer());
      Arrays.fill(
          plain, range.first(), range.end(), range.layer() % 2 == 0 ? layer : range.layer());
    }
    for (int block = 0; block < BLOCKS; block++) {
      int expected = block;
      while (expected < BLOCKS && plain[expected] != layer) {
        expected++;
      }
      assertThat(index.next(layer, block)).isEqualTo(expected == BLOCKS ? -1 : expected);
    }
    index.replace(layer, other);
    for (int block = 0; block < BLOCKS; block++) {
      assertThat(index.layer(block)).isEqualTo(plain[block] == layer ? other : plain[block]);
    }
  }
}
