package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Snapshots, reverts and expansions of the layers of a replica, in real files. */
class LocalChainTest extends ChainFixture {
  @Test
  void snapshotKeepsTheContentOfItsMoment() throws Exception {
    write(1, 1);
    snapshot("a");
    write(1, 2);
    write(2, 2);
    snapshot("b");
    write(2, 3);
    for (int i = 0; i < 2; i++) {
      assertThat(read(1)).isEqualTo(2);
      assertThat(read(2)).isEqualTo(3);
      assertThat(read(3)).isZero();
      assertThat(read("a", 1)).isEqualTo(1);
      assertThat(read("a", 2)).isZero();
      assertThat(read("b", 1)).isEqualTo(2);
      assertThat(read("b", 2)).isEqualTo(2);
      reopen();
    }
  }

  @Test
  void snapshotsAreListedAsATree() throws Exception {
    write(0, 1);
    snapshot("a");
    write(1, 1);
    write(2, 1);
    snapshot("b");
    perform(ChainOperation.Kind.REVERT, "a");
    snapshot("c");
    List<SnapshotInfo> list = chain.snapshots();
    assertThat(list).extracting(SnapshotInfo::name).containsExactly("a", "b", "c");
    assertThat(list).extracting(SnapshotInfo::parent).containsExactly("", "a", "a");
    assertThat(list.get(0).children()).containsExactlyInAnyOrder("b", "c");
    assertThat(list.get(2).children()).containsExactly(SnapshotInfo.HEAD);
    assertThat(list.get(1).usedBytes()).isEqualTo(2 * BLOCK);
    assertThat(list.get(1).userCreated()).isTrue();
  }

  @Test
  void aDuplicateNameDestroysNothing() throws Exception {
    write(1, 1);
    snapshot("a");
    write(1, 2);
    snapshot("a");
    assertThat(read("a", 1)).isEqualTo(1);
    assertThat(read(1)).isEqualTo(2);
    assertThat(names()).containsExactly("a");
  }

  @Test
  void anOperationOfOneIdIsDoneOnce() throws Exception {
    write(1, 1);
    snapshot("a");
    write(1, 2);
    ChainOperation revert =
        new ChainOperation("again", ChainOperation.Kind.REVERT, "a", false, "", Map.of(), 0);
    chain.perform(revert);
    write(1, 3);
    reopen();
    chain.perform(revert);
    assertThat(read(1)).isEqualTo(3);
  }

  @Test
  void tooManySnapshotsAreRefusedBeforeTheDiskIsTouched() throws Exception {
    chain.close();
    ChainLimits few = new ChainLimits(2, 64, BLOCK, bytes -> {});
    chain =
        LocalChain.open(directory, LonghornLayout.volumeMeta(directory).orElseThrow(), false, few);
    snapshot("a");
    snapshot("b");
    perform(ChainOperation.Kind.REMOVE, "a");
    var before = directory.files();
    assertThatThrownBy(() -> snapshot("c"))
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.INVALID));
    assertThat(directory.files()).isEqualTo(before);
    reopen();
    snapshot("c");
    assertThat(names()).containsExactly("a", "b", "c");
  }

  @Test
  void twoHundredAndFiftySnapshotsCanBeMadeReadAndOpened() throws Exception {
    for (int i = 0; i < 250; i++) {
      write(i % 64, i % 100);
      snapshot("s" + i);
    }
    assertThatThrownBy(() -> snapshot("one-more"))
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.INVALID));
    reopen();
    for (int block = 0; block < 64; block++) {
      int last = block + 64 * ((249 - block) / 64);
      assertThat(read(block)).isEqualTo(last % 100);
    }
    assertThat(read("s99", 37)).isEqualTo(37);
    assertThat(read("s101", 37)).isEqualTo(1);
  }

  @Test
  void revertKeepsTheExpandedSize() throws Exception {
    write(1, 1);
    snapshot("a");
    write(1, 2);
    perform(ChainOperation.Kind.EXPAND, "", 2 * SIZE);
    write(100, 3);
    perform(ChainOperation.Kind.REVERT, "a");
    reopen();
    assertThat(chain.layers().size()).isEqualTo(2 * SIZE);
    assertThat(read(1)).isEqualTo(1);
    assertThat(read(100)).isZero();
    assertThat(names()).containsExactly("a", "expand-" + 2 * SIZE);
    String head = LonghornLayout.volumeMeta(directory).orElseThrow().head();
    assertThat(Files.size(Path.of(directory.path(), head))).isEqualTo(2 * SIZE);
  }

  @Test
  void expansionIsTakenBack() throws Exception {
    write(1, 1);
    perform(ChainOperation.Kind.EXPAND, "", 2 * SIZE);
    perform(ChainOperation.Kind.SHRINK, "", SIZE);
    assertThat(names()).isEmpty();
    assertThat(chain.layers().size()).isEqualTo(SIZE);
    assertThat(read(1)).isEqualTo(1);
    write(1, 2);
    reopen();
    assertThat(names()).isEmpty();
    assertThat(read(1)).isEqualTo(2);
    write(1, 1);
    perform(ChainOperation.Kind.EXPAND, "", 2 * SIZE);
    reopen();
    assertThat(chain.layers().size()).isEqualTo(2 * SIZE);
    coalesceAll();
    assertThat(read(1)).isEqualTo(1);
  }

  @Test
  void expansionThatWasWrittenToIsNotTakenBack() throws Exception {
    perform(ChainOperation.Kind.EXPAND, "", 2 * SIZE);
    write(1, 1);
    assertThatThrownBy(() -> perform(ChainOperation.Kind.SHRINK, "", SIZE))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("used since");
    assertThat(chain.layers().size()).isEqualTo(2 * SIZE);
    assertThat(read(1)).isEqualTo(1);
  }

  @Test
  void rollbackOfAnOperationThatDidNotHappenChangesNothing() throws Exception {
    write(1, 1);
    perform(ChainOperation.Kind.SHRINK, "", SIZE);
    assertThat(chain.layers().size()).isEqualTo(SIZE);
    assertThat(read(1)).isEqualTo(1);
  }
}
