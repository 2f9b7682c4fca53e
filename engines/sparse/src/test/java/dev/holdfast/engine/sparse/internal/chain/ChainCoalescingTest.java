package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.error.ErrorCode;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Removed snapshots and their coalescing, in real files. */
class ChainCoalescingTest extends ChainFixture {
  @Test
  void removedSnapshotsAreCoalescedAndTheOthersStay() throws Exception {
    write(1, 1);
    write(2, 1);
    snapshot("a");
    write(2, 2);
    snapshot("b");
    write(3, 3);
    snapshot("c");
    write(4, 4);
    perform(ChainOperation.Kind.REMOVE, "a");
    coalesceAll();
    assertThat(names()).containsExactly("b", "c");
    for (int i = 0; i < 2; i++) {
      assertThat(read("b", 1)).isEqualTo(1);
      assertThat(read("b", 2)).isEqualTo(2);
      assertThat(read("b", 3)).isZero();
      assertThat(read("c", 3)).isEqualTo(3);
      assertThat(read(4)).isEqualTo(4);
      reopen();
    }
  }

  @Test
  void everythingCanBeCoalescedIntoTheHead() throws Exception {
    write(1, 1);
    snapshot("a");
    write(2, 2);
    snapshot("b");
    write(2, 3);
    perform(ChainOperation.Kind.REMOVE, "a");
    perform(ChainOperation.Kind.REMOVE, "b");
    coalesceAll();
    assertThat(names()).isEmpty();
    assertThat(chain.layers().chained()).isFalse();
    assertThat(read(1)).isEqualTo(1);
    assertThat(read(2)).isEqualTo(3);
    reopen();
    assertThat(read(1)).isEqualTo(1);
    assertThat(read(2)).isEqualTo(3);
    assertThat(directory.files()).hasSize(3);
  }

  @Test
  void theLastBlockOfWholeChunksCanBeCoalescedIntoTheHead() throws Exception {
    chain.close();
    ReplicaLocation location = new ReplicaLocation("v", "v-r-2", "n", disk, "v-2");
    new ReplicaStorage().provision(location, 4 << 20);
    directory = new LocalReplicaDirectory(location.directory());
    open();
    int last = (4 << 20) / BLOCK - 1;
    write(last, 7);
    snapshot("a");
    perform(ChainOperation.Kind.REMOVE, "a");

    coalesceAll();

    assertThat(names()).isEmpty();
    assertThat(read(last)).isEqualTo(7);
  }

  @Test
  void aSnapshotWithTwoChildrenWaits() throws Exception {
    write(1, 1);
    snapshot("a");
    snapshot("b");
    perform(ChainOperation.Kind.REVERT, "a");
    perform(ChainOperation.Kind.REMOVE, "a");
    assertThat(chain.coalesce(Set.of())).isFalse();
    perform(ChainOperation.Kind.REMOVE, "b");
    coalesceAll();
    assertThat(names()).isEmpty();
    assertThat(read(1)).isEqualTo(1);
  }

  @Test
  void nameOfARemovedSnapshotIsRefusedUntilItsDataIsGone() throws Exception {
    write(1, 1);
    snapshot("a");
    perform(ChainOperation.Kind.REMOVE, "a");
    write(1, 2);
    assertThatThrownBy(() -> snapshot("a")).hasMessageContaining("a is removed");
    coalesceAll();
    snapshot("a");
    assertThat(read("a", 1)).isEqualTo(2);
  }

  @Test
  void lockedSnapshotsAreNotCoalesced() throws Exception {
    snapshot("a");
    snapshot("b");
    perform(ChainOperation.Kind.REMOVE, "a");
    assertThat(chain.coalesce(Set.of("b"))).isFalse();
    assertThat(chain.coalesce(Set.of("a"))).isFalse();
    assertThat(chain.coalesce(Set.of())).isTrue();
  }

  @Test
  void headNumbersComeRoundAgain() throws Exception {
    for (int i = 0; i < 25; i++) {
      write(i, i);
      snapshot("s" + i);
      perform(ChainOperation.Kind.REMOVE, "s" + i);
      coalesceAll();
    }
    reopen();
    for (int i = 0; i < 25; i++) {
      assertThat(read(i)).isEqualTo(i);
    }
  }

  @Test
  void theRemovedCannotBeRevertedTo() throws Exception {
    snapshot("a");
    perform(ChainOperation.Kind.REMOVE, "a");
    assertThatThrownBy(() -> perform(ChainOperation.Kind.REVERT, "a"))
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.NOT_FOUND));
  }
}
