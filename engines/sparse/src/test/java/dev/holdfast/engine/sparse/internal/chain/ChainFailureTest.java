package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.sparse.internal.disk.CrashPoint;
import dev.holdfast.engine.sparse.internal.disk.Mutant;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that an operation is atomic if one of its accesses fails, and can continue. */
class ChainFailureTest {
  private static final int BLOCK = 4096;
  private static final long SIZE = 8 * BLOCK;

  private final CrashPoint accesses = new CrashPoint();
  private SimulatedDisk disk;
  private LocalChain chain;

  private void provision() throws Exception {
    disk = new SimulatedDisk(accesses, Mutant.NONE);
    disk.putSparse(LonghornLayout.FIRST_HEAD, SIZE);
    disk.put(
        LonghornLayout.metaOf(LonghornLayout.FIRST_HEAD),
        LonghornLayout.newHeadMeta("2026-11-21T00:00:00Z"));
    disk.put(LonghornLayout.VOLUME_META, LonghornLayout.newVolumeMeta(SIZE));
    open();
    write(0, 1);
    perform(ChainOperation.Kind.SNAPSHOT, "a");
    write(1, 2);
    perform(ChainOperation.Kind.SNAPSHOT, "b");
    write(2, 3);
    chain.layers().sync();
  }

  private void open() throws Exception {
    VolumeMeta meta = LonghornLayout.volumeMeta(disk.directory()).orElseThrow();
    chain = LocalChain.open(disk.directory(), meta, false);
  }

  private void write(int block, int value) throws Exception {
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) value);
    chain.layers().write((long) block * BLOCK, ByteBuffer.wrap(content));
  }

  private int read(int block) throws Exception {
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    chain.layers().read((long) block * BLOCK, content);
    return content.get(BLOCK - 1);
  }

  private int read(String snapshot, int block) throws Exception {
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    chain.read(snapshot, (long) block * BLOCK, content);
    return content.get(BLOCK - 1);
  }

  private void perform(ChainOperation.Kind kind, String snapshot) throws StorageException {
    long size =
        switch (kind) {
          case EXPAND -> 2 * SIZE;
          case SHRINK -> SIZE;
          case SNAPSHOT, REVERT, REMOVE -> 0;
        };
    chain.perform(new ChainOperation(kind + snapshot, kind, snapshot, true, "", Map.of(), size));
  }

  @ParameterizedTest
  @EnumSource(ChainOperation.Kind.class)
  void failedOperationChangesNothingAndCanBeRepeated(ChainOperation.Kind kind) throws Exception {
    String name = kind == ChainOperation.Kind.SNAPSHOT ? "c" : "a";
    // No write may arrive before a failed expansion is rolled back.
    boolean back = kind == ChainOperation.Kind.SHRINK;
    int failures = 0;
    for (int failing = 1; ; failing++) {
      provision();
      if (back) {
        perform(ChainOperation.Kind.EXPAND, "");
      }
      accesses.failOnceAfter(failing);
      boolean failed = false;
      try {
        perform(kind, name);
      } catch (StorageException e) {
        failed = true;
        failures++;
      }
      boolean over = accesses.failureLeft();
      accesses.failOnceAfter(0);
      if (failed) {
        assertThat(read(1)).as("access %d", failing).isEqualTo(2);
        if (!back) {
          assertThat(chain.layers().size()).isEqualTo(SIZE);
          write(3, 4);
        }
        repeat(kind, name);
      }
      checkDone(kind, failed && !back);
      open();
      checkDone(kind, failed && !back);
      if (over) {
        break;
      }
    }
    assertThat(failures).isGreaterThan(3);
  }

  @Test
  void aWriteThatFoundRoomForItsFirstBlockOnlyReadsAsItWillAfterTheNextOpening() throws Exception {
    provision();
    disk.setRoom(1);
    ByteBuffer content = ByteBuffer.allocate(2 * BLOCK);
    Arrays.fill(content.array(), (byte) 7);
    assertThatThrownBy(() -> chain.layers().write(4 * BLOCK, content))
        .hasMessageContaining("No space");
    assertThat(content.position()).isEqualTo(BLOCK);
    int before = read(4);
    open();
    assertThat(before).isEqualTo(read(4)).isEqualTo(7);
    assertThat(read(5)).isZero();
  }

  @Test
  void zeroesThatFoundRoomForTheirFirstBlockOnlyReadAsTheyWillAfterTheNextOpening()
      throws Exception {
    provision();
    write(4, 5);
    write(5, 6);
    perform(ChainOperation.Kind.SNAPSHOT, "c");
    disk.setRoom(1);
    assertThatThrownBy(() -> chain.layers().zero(4 * BLOCK, 2 * BLOCK, false))
        .hasMessageContaining("No space");
    int before = read(4);
    open();
    assertThat(before).isEqualTo(read(4)).isZero();
    assertThat(read(5)).isEqualTo(6);
  }

  // After a failed sync the replica is opened again, because no other sync of this opening
  // succeeds.
  private void repeat(ChainOperation.Kind kind, String name) throws Exception {
    try {
      perform(kind, name);
    } catch (StorageException e) {
      assertThat(e).hasMessageContaining("earlier sync failed");
      open();
      perform(kind, name);
    }
  }

  private void checkDone(ChainOperation.Kind kind, boolean failed) throws Exception {
    boolean reverted = kind == ChainOperation.Kind.REVERT;
    assertThat(read(0)).isEqualTo(1);
    assertThat(read(1)).isEqualTo(reverted ? 0 : 2);
    assertThat(read(2)).isEqualTo(reverted ? 0 : 3);
    assertThat(read(3)).isEqualTo(failed && !reverted ? 4 : 0);
    assertThat(read("b", 1)).isEqualTo(2);
    assertThat(read("b", 2)).isZero();
    if (kind == ChainOperation.Kind.SNAPSHOT) {
      assertThat(read("c", 3)).isEqualTo(failed ? 4 : 0);
    }
    assertThat(chain.layers().size())
        .isEqualTo(kind == ChainOperation.Kind.EXPAND ? 2 * SIZE : SIZE);
  }

  @Test
  void failedCoalescingContinuesAtTheNextCall() throws Exception {
    boolean over = false;
    for (int failing = 1; !over; failing++) {
      provision();
      perform(ChainOperation.Kind.REMOVE, "a");
      accesses.failOnceAfter(failing);
      boolean more = true;
      while (more) {
        try {
          more = chain.coalesce(Set.of());
        } catch (StorageException e) {
          assertThat(accesses.failureLeft()).isFalse();
          if (e.getMessage().contains("earlier sync failed")) {
            open();
          }
        }
      }
      over = accesses.failureLeft();
      accesses.failOnceAfter(0);
      assertThat(chain.snapshots()).as("access %d", failing).hasSize(1);
      checkDone(ChainOperation.Kind.REMOVE, false);
      open();
      checkDone(ChainOperation.Kind.REMOVE, false);
    }
  }
}
