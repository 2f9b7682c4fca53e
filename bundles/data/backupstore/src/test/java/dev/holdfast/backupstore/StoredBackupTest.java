package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two backups of one volume are compared by their lists of blocks. */
class StoredBackupTest {
  @TempDir Path folder;
  private MemoryObjectStore store;
  private StoredBackup first;
  private StoredBackup second;
  private byte[] before;
  private byte[] after;

  @BeforeEach
  void unpack() throws Exception {
    store = LonghornFixture.store(folder);
    first = new LonghornBackups(store).backup(LonghornFixture.SNAP1);
    second = new LonghornBackups(store).backup(LonghornFixture.SNAP2);
    before = Restored.bytes(store, LonghornFixture.SNAP1);
    after = Restored.bytes(store, LonghornFixture.SNAP2);
  }

  private BitSet different(StoredBackup one, StoredBackup other, long offset, long length) {
    BitSet found = new BitSet();
    one.differing(
        other, offset, length, (from, size) -> found.set((int) (from / one.summary().blockSize())));
    return found;
  }

  @Test
  void blocksDifferWhereTheBytesDiffer() {
    int size = second.summary().blockSize();
    BitSet expected = new BitSet();
    for (int from = 0; from < after.length; from += size) {
      int to = Math.min(from + size, after.length);
      if (!Arrays.equals(after, from, to, before, from, to)) {
        expected.set(from / size);
      }
    }
    assertThat(expected.cardinality()).isPositive();
    assertThat(different(second, first, 0, after.length)).isEqualTo(expected);
    assertThat(different(first, second, 0, after.length)).isEqualTo(expected);
    assertThat(different(second, second, 0, after.length).isEmpty()).isTrue();

    int last = expected.length() - 1;
    BitSet only = new BitSet();
    only.set(last);
    assertThat(different(second, first, (long) last * size, size)).isEqualTo(only);
  }

  @Test
  void checksumsOfDifferentContentsDiffer() throws Exception {
    assertThat(second.contentChecksum())
        .hasSize(64)
        .isEqualTo(new LonghornBackups(store).backup(LonghornFixture.SNAP2).contentChecksum())
        .isNotEqualTo(first.contentChecksum());
  }

  @Test
  void contentRecognizesItsBlocks() throws Exception {
    int size = second.summary().blockSize();
    try (BackupContent content = BackupContent.open(store, LonghornFixture.SNAP2, new TestTime())) {
      for (int from = 0; from < after.length; from += size) {
        int length = Math.min(size, after.length - from);
        ByteBuffer own = ByteBuffer.wrap(after, from, length).slice();
        assertThat(content.isEqual(from, own)).isEqualTo(second.hasBlock(from));
        byte[] other = Arrays.copyOfRange(after, from, from + length);
        other[length - 1] ^= 1;
        assertThat(content.isEqual(from, ByteBuffer.wrap(other))).isFalse();
      }
    }
  }
}
