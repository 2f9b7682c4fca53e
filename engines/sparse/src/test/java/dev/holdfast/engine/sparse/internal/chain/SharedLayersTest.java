package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Layers that two replicas share: operations on one replica never change the files of the other.
 */
class SharedLayersTest {
  private static final int BLOCK = 4096;
  private static final long SIZE = 64L * BLOCK;
  private static final String S1 = "volume-snap-s1.img";
  private static final String S2 = "volume-snap-s2.img";

  @TempDir private Path disk;
  private Path other;
  private ReplicaDirectory directory;
  private LocalChain chain;
  private Map<String, String> before;
  private int operations;

  @BeforeEach
  void share() throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", "v-r-1", "n", disk, "v-1");
    new ReplicaStorage().provision(location, SIZE);
    directory = new LocalReplicaDirectory(location.directory());
    open(ChainLimits.DEFAULT);
    write(0, 1);
    write(1, 1);
    write(2, 1);
    perform(ChainOperation.Kind.SNAPSHOT, "s1");
    write(1, 2);
    perform(ChainOperation.Kind.SNAPSHOT, "s2");
    write(2, 3);
    other = Files.createDirectory(disk.resolve("other"));
    SharedSnapshot shared = chain.share("v", "s2", other);
    assertThat(shared.sizeBytes()).isEqualTo(SIZE);
    assertThat(other.resolve(shared.image())).exists();
    assertThat(directory.shared(S1)).isTrue();
    assertThat(directory.shared(S2)).isTrue();
    before = files(other);
  }

  @AfterEach
  void othersFilesAreUntouched() throws Exception {
    chain.close();
    if (Files.exists(other)) {
      assertThat(files(other)).isEqualTo(before);
    }
  }

  private void open(ChainLimits limits) throws Exception {
    chain =
        LocalChain.open(
            directory, LonghornLayout.volumeMeta(directory).orElseThrow(), false, limits);
  }

  private void reopen(ChainLimits limits) throws Exception {
    chain.close();
    open(limits);
  }

  // Names, content and modification times, because a replica that finds another time no longer
  // trusts its files.
  private static Map<String, String> files(Path folder) throws Exception {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> paths = Files.list(folder)) {
      for (Path path : (Iterable<Path>) paths.filter(Files::isRegularFile)::iterator) {
        files.put(
            path.getFileName().toString(),
            Arrays.hashCode(Files.readAllBytes(path)) + " " + Files.getLastModifiedTime(path));
      }
    }
    return files;
  }

  private void perform(ChainOperation.Kind kind, String snapshot) throws Exception {
    chain.perform(
        new ChainOperation(
            "op-" + operations++, kind, snapshot, true, "2026-11-21T08:00:00Z", Map.of(), 0));
  }

  private void write(int block, int value) throws Exception {
    chain.layers().write((long) block * BLOCK, filled(value));
  }

  private static ByteBuffer filled(int value) {
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) value);
    return ByteBuffer.wrap(content);
  }

  private int[] content() throws Exception {
    int[] values = new int[4];
    for (int i = 0; i < values.length; i++) {
      ByteBuffer block = ByteBuffer.allocate(BLOCK);
      chain.layers().read((long) i * BLOCK, block);
      values[i] = block.get(0);
    }
    return values;
  }

  private int inLayer(String image, int block) throws Exception {
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    chain.transfer().read(image, (long) block * BLOCK, content);
    return content.get(0);
  }

  private void removeSnapshots() throws Exception {
    perform(ChainOperation.Kind.REMOVE, "s1");
    perform(ChainOperation.Kind.REMOVE, "s2");
  }

  private void coalesceAll() throws Exception {
    while (chain.coalesce(Set.of())) {
      // Continue with the next file.
    }
  }

  private void unlinkOther() throws Exception {
    for (String file : before.keySet()) {
      Files.delete(other.resolve(file));
    }
    Files.deleteIfExists(other.resolve("holdfast"));
    Files.delete(other);
  }

  @Test
  void sharedLayersAreNotCoalescedBecauseThatTakesSpace() throws Exception {
    removeSnapshots();
    coalesceAll();
    assertThat(directory.shared(S1)).isTrue();
    assertThat(directory.shared(S2)).isTrue();
    assertThat(content()).containsExactly(1, 2, 3, 0);
  }

  @Test
  void tooManyRemovedLayersAreCoalescedAllTheSame() throws Exception {
    reopen(new ChainLimits(250, 0, BLOCK, bytes -> {}));
    removeSnapshots();
    coalesceAll();
    assertThat(chain.snapshots()).isEmpty();
    assertThat(content()).containsExactly(1, 2, 3, 0);
    reopen(ChainLimits.DEFAULT);
    assertThat(content()).containsExactly(1, 2, 3, 0);
  }

  @Test
  void layersAreCoalescedAfterTheOtherReplicaIsDeleted() throws Exception {
    removeSnapshots();
    coalesceAll();
    unlinkOther();
    coalesceAll();
    assertThat(chain.snapshots()).isEmpty();
    assertThat(content()).containsExactly(1, 2, 3, 0);
  }

  @Test
  void layerSharedWhileItIsCoalescedDoesNotChangeAnyMore() throws Exception {
    unlinkOther();
    Path late = disk.resolve("late");
    before = Map.of();
    perform(ChainOperation.Kind.REMOVE, "s1");
    int[] pieces = new int[1];
    // Between two pieces of s2, of which the first is already in the file of s1.
    chain.close();
    write2(S2, 5);
    open(
        new ChainLimits(
            250,
            64,
            BLOCK,
            bytes -> {
              if (pieces[0]++ == 0) {
                shareInto(late);
              }
            }));
    coalesceAll();
    other = late;
    assertThat(files(late)).isEqualTo(before);
    assertThat(directory.shared(S1)).isTrue();
    assertThat(content()).containsExactly(1, 2, 3, 0);
  }

  private void write2(String image, int block) throws Exception {
    try (var file = directory.open(image)) {
      file.write(filled(9), (long) block * BLOCK);
      file.sync();
    }
  }

  private void shareInto(Path folder) {
    try {
      Files.createDirectory(folder);
      chain.share("v", "s2", folder);
      before = files(folder);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void trimHidesSharedBlocks() throws Exception {
    removeSnapshots();
    chain.layers().zero(0, 3L * BLOCK, false);
    chain.layers().sync();
    assertThat(content()).containsExactly(0, 0, 0, 0);
    reopen(ChainLimits.DEFAULT);
    assertThat(content()).containsExactly(0, 0, 0, 0);
  }

  @Test
  void repairCopiesTheSharedFile() throws Exception {
    chain.transfer().repair(S1, 0, filled(7), BLOCK);
    assertThat(directory.shared(S1)).isFalse();
    assertThat(directory.shared(S2)).isTrue();
    assertThat(content()).containsExactly(7, 2, 3, 0);
    reopen(ChainLimits.DEFAULT);
    assertThat(content()).containsExactly(7, 2, 3, 0);
  }

  @Test
  void receivedDataIsWrittenIntoACopyOfTheSharedFile() throws Exception {
    chain.setRebuilding(true);
    chain.transfer().begin(S1, SIZE);
    assertThat(directory.shared(S1)).isTrue();
    chain.transfer().write(S1, 0, filled(7));
    chain.transfer().punch(S2, BLOCK, BLOCK);
    chain.transfer().complete(S1, chain.tree().meta(S1));
    chain.setRebuilding(false);
    assertThat(inLayer(S1, 0)).isEqualTo(7);
    assertThat(content()).containsExactly(7, 1, 3, 0);
  }

  @Test
  void longerReceivedLayerIsWrittenIntoACopyOfTheSharedFile() throws Exception {
    chain.setRebuilding(true);
    chain.transfer().begin(S2, 2 * SIZE);
    assertThat(chain.transfer().size(S2)).isEqualTo(2 * SIZE);
    chain.setRebuilding(false);
  }

  @Test
  void leafIsRemovedWithoutACopy() throws Exception {
    perform(ChainOperation.Kind.REVERT, "s1");
    perform(ChainOperation.Kind.REMOVE, "s2");
    coalesceAll();
    assertThat(chain.snapshots()).extracting(SnapshotInfo::name).containsExactly("s1");
    assertThat(content()).containsExactly(1, 1, 1, 0);
  }

  @Test
  void copyInterruptedByACrashLeavesNoFile() throws Exception {
    chain.close();
    directory.create(S1 + ".own", SIZE).close();
    open(ChainLimits.DEFAULT);
    assertThat(directory.files()).doesNotContain(S1 + ".own");
    assertThat(content()).containsExactly(1, 2, 3, 0);
  }

  @Test
  void headOfAHardLinkedDirectoryIsCopied() throws Exception {
    chain.close();
    String head = LonghornLayout.volumeMeta(directory).orElseThrow().head();
    Files.createLink(other.resolve(head), Path.of(directory.path()).resolve(head));
    before = files(other);
    open(ChainLimits.DEFAULT);
    write(0, 8);
    assertThat(content()).containsExactly(8, 2, 3, 0);
  }

  @Test
  void enginesThatWouldChangeSharedLayersRefuseTheDirectory() throws Exception {
    assertThat(LonghornLayout.volumeMeta(directory).orElseThrow().backingFilePath()).isNotEmpty();
    unlinkOther();
    reopen(ChainLimits.DEFAULT);
    assertThat(LonghornLayout.volumeMeta(directory).orElseThrow().backingFilePath()).isEmpty();
  }
}
