package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Structural operations on the layers of a replica, in real files. */
class LocalChainTest {
  private static final int BLOCK = 4096;
  private static final long SIZE = 64L * BLOCK;

  @TempDir private Path disk;
  private ReplicaDirectory directory;
  private LocalChain chain;
  private int operations;

  @BeforeEach
  void provision() throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", "v-r-1", "n", disk, "v-1");
    new ReplicaStorage().provision(location, SIZE);
    directory = new LocalReplicaDirectory(location.directory());
    open();
  }

  @AfterEach
  void close() throws Exception {
    chain.close();
  }

  private void open() throws Exception {
    chain = LocalChain.open(directory, LonghornLayout.volumeMeta(directory).orElseThrow(), false);
  }

  private void reopen() throws Exception {
    chain.close();
    open();
  }

  private void perform(ChainOperation.Kind kind, String snapshot) throws StorageException {
    perform(kind, snapshot, 0);
  }

  private void perform(ChainOperation.Kind kind, String snapshot, long size)
      throws StorageException {
    chain.perform(
        new ChainOperation(
            "op-" + operations++, kind, snapshot, true, "2026-11-21T08:00:00Z", Map.of(), size));
  }

  private void snapshot(String name) throws StorageException {
    perform(ChainOperation.Kind.SNAPSHOT, name);
  }

  private void write(int block, int value) throws Exception {
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) value);
    chain.layers().write((long) block * BLOCK, ByteBuffer.wrap(content));
  }

  private void trim(int block, int count) throws Exception {
    chain.layers().zero((long) block * BLOCK, (long) count * BLOCK, false);
  }

  private int read(int block) throws Exception {
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    chain.layers().read((long) block * BLOCK, content);
    return value(content);
  }

  private int read(String snapshot, int block) throws Exception {
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    chain.read(snapshot, (long) block * BLOCK, content);
    return value(content);
  }

  private static int value(ByteBuffer content) {
    byte first = content.get(0);
    for (int at = 0; at < content.capacity(); at++) {
      assertThat(content.get(at)).isEqualTo(first);
    }
    return first;
  }

  private List<Integer> changed(String older, String newer) throws Exception {
    List<Integer> blocks = new ArrayList<>();
    long[] end = {0};
    chain.changes(
        older,
        newer,
        (offset, length, kind) -> {
          assertThat(offset).isEqualTo(end[0]);
          end[0] += length;
          for (long at = offset; kind == ExtentKind.DATA && at < offset + length; at += BLOCK) {
            blocks.add((int) (at / BLOCK));
          }
          return true;
        });
    return blocks;
  }

  private List<String> names() throws Exception {
    return chain.snapshots().stream().map(SnapshotInfo::name).toList();
  }

  private void coalesceAll() throws Exception {
    while (chain.coalesce(Set.of())) {
      // One after the other.
    }
  }

  private static ErrorCode code(Throwable failure) {
    return ((StorageException) failure).code();
  }

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

  // Fails if each holds a piece for copying all the time: a node may have thousands of them open.
  @Test
  void openChainsAtRestHoldLittleMemoryOutsideTheHeap() throws Exception {
    BufferPoolMXBean direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .findFirst()
            .orElseThrow();
    snapshot("a");
    long before = direct.getMemoryUsed();
    List<LocalChain> open = new ArrayList<>();
    VolumeMeta meta = LonghornLayout.volumeMeta(directory).orElseThrow();
    for (int i = 0; i < 32; i++) {
      open.add(LocalChain.open(directory, meta, false));
    }
    assertThat(direct.getMemoryUsed() - before).isLessThan(32 * (64L << 10));
    for (LocalChain one : open) {
      one.close();
    }
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
  void takingBackWhatWasNotMadeChangesNothing() throws Exception {
    write(1, 1);
    perform(ChainOperation.Kind.SHRINK, "", SIZE);
    assertThat(chain.layers().size()).isEqualTo(SIZE);
    assertThat(read(1)).isEqualTo(1);
  }

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
  void trimReachesThroughEverythingThatWasRemoved() throws Exception {
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
      // Block 2 is below, so it is hidden by zeroes; nothing is left of the others.
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

  @Test
  void theRemovedCannotBeRevertedTo() throws Exception {
    snapshot("a");
    perform(ChainOperation.Kind.REMOVE, "a");
    assertThatThrownBy(() -> perform(ChainOperation.Kind.REVERT, "a"))
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.NOT_FOUND));
  }

  @Test
  void volumeMetaIsMadeUpAgainFromTheFiles() throws Exception {
    write(1, 1);
    snapshot("a");
    write(2, 2);
    VolumeMeta before = LonghornLayout.volumeMeta(directory).orElseThrow();
    for (byte[] lost : new byte[][] {null, {}}) {
      chain.close();
      if (lost == null) {
        directory.remove(LonghornLayout.VOLUME_META);
      } else {
        directory.store(LonghornLayout.VOLUME_META, lost);
      }
      open();
      assertThat(LonghornLayout.volumeMeta(directory)).contains(before);
      assertThat(read(1)).isEqualTo(1);
      assertThat(read(2)).isEqualTo(2);
    }
  }

  @Test
  void anUnknownFormatIsRefusedAndLeftAlone() throws Exception {
    chain.close();
    byte[] foreign = "{\"format\":\"of another program\"}".getBytes(StandardCharsets.US_ASCII);
    directory.store(LonghornLayout.VOLUME_META, foreign);
    assertThatThrownBy(this::open)
        .hasMessageContaining("left as it is")
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.INVALID));
    assertThat(directory.load(LonghornLayout.VOLUME_META).orElseThrow()).isEqualTo(foreign);
  }

  @Test
  void aMissingLayerIsRefused() throws Exception {
    snapshot("a");
    snapshot("b");
    chain.close();
    directory.remove(LonghornLayout.imageOf("a"));
    assertThatThrownBy(this::open).hasMessageContaining("volume-snap-a.img");
    assertThat(directory.load(LonghornLayout.metaOf(LonghornLayout.imageOf("a")))).isPresent();
  }
}
