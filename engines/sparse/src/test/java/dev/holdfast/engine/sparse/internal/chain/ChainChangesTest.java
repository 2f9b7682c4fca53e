package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.error.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Trims, and changes between snapshots, in real files. */
class ChainChangesTest extends ChainFixture {
  @Test
  void trimStopsAtAKeptSnapshot() throws Exception {
    write(1, 1);
    snapshot("kept");
    write(2, 2);
    snapshot("removed");
    perform(ChainOperation.Kind.REMOVE, "removed");
    trim(1, 2);
    assertThat(read(1)).isZero();
    assertThat(read(2)).isZero();
    assertThat(read("kept", 1)).isEqualTo(1);
    assertThat(chain.snapshots().get(1).usedBytes()).isZero();
    reopen();
    assertThat(read(1)).isZero();
    assertThat(read(2)).isZero();
    assertThat(read("kept", 1)).isEqualTo(1);
  }

  @Test
  void trimReachesThroughRemovedLayers() throws Exception {
    write(1, 1);
    write(2, 1);
    snapshot("kept");
    for (String name : List.of("a", "b", "c")) {
      write(2, 2);
      write(3, 3);
      write(4, 4);
      snapshot(name);
    }
    write(3, 5);
    for (String name : List.of("a", "b", "c")) {
      perform(ChainOperation.Kind.REMOVE, name);
    }
    trim(2, 3);
    for (int i = 0; i < 2; i++) {
      for (int block : List.of(2, 3, 4)) {
        assertThat(read(block)).isZero();
      }
      assertThat(read("kept", 2)).isEqualTo(1);
      // Block 2 is in a lower layer, so zeroes hide it. The other blocks are gone.
      assertThat(changed("kept", SnapshotInfo.HEAD)).containsExactly(2);
      reopen();
    }
  }

  @Test
  void trimOfBlocksOnlyInTheHeadGivesThemBack() throws Exception {
    write(1, 1);
    snapshot("a");
    write(2, 2);
    trim(2, 1);
    assertThat(changed("a", SnapshotInfo.HEAD)).isEmpty();
    assertThat(read(2)).isZero();
  }

  @Test
  void changesAreTheUnionOfTheLayersBetween() throws Exception {
    write(1, 1);
    snapshot("a");
    write(2, 2);
    snapshot("b");
    write(3, 3);
    snapshot("c");
    assertThat(changed("", "a")).containsExactly(1);
    assertThat(changed("", "c")).containsExactly(1, 2, 3);
    assertThat(changed("a", "c")).containsExactly(2, 3);
    assertThat(changed("c", "c")).isEmpty();
    write(1, 9);
    assertThat(changed("b", SnapshotInfo.HEAD)).containsExactly(1, 3);
  }

  @Test
  void changesBetweenBranchesAreRefused() throws Exception {
    snapshot("a");
    snapshot("b");
    perform(ChainOperation.Kind.REVERT, "a");
    snapshot("c");
    assertThatThrownBy(() -> changed("b", "c"))
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.INVALID));
    assertThatThrownBy(() -> changed("nowhere", "c"))
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.NOT_FOUND));
  }
}
