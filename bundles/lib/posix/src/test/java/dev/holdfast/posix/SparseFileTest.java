package dev.holdfast.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparseFileTest {
  private static final int BLOCK = 65_536;

  @TempDir private Path folder;
  private Path path;

  @BeforeEach
  void makeFileWithOneBlockOfData() throws IOException {
    path = folder.resolve("file");
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(16L * BLOCK);
      file.seek(4L * BLOCK);
      byte[] data = new byte[4 * BLOCK];
      Arrays.fill(data, (byte) 7);
      file.write(data);
    }
  }

  @Test
  void dataAndHolesAreFound() throws IOException {
    try (SparseFile file = SparseFile.openReadOnly(path)) {
      assertThat(file.nextData(0)).isEqualTo(4L * BLOCK);
      assertThat(file.nextHole(4L * BLOCK)).isEqualTo(8L * BLOCK);
      assertThat(file.nextData(8L * BLOCK)).isEqualTo(-1);
    }
  }

  @Test
  void zeroedRangeIsAllocatedAndUnwritten() throws IOException {
    try (SparseFile file = SparseFile.open(path)) {
      assertThat(file.nextUnwritten(0, 16L * BLOCK)).isEmpty();
      // If a file system cannot zero a range without writing, zeroes are written, and such ranges
      // do not exist.
      assumeTrue(file.zeroRange(10L * BLOCK, 2L * BLOCK), "the file system has no zeroed ranges");
      assertThat(file.nextData(8L * BLOCK)).isEqualTo(-1);
      assertThat(file.nextUnwritten(0, 16L * BLOCK))
          .contains(new SparseFile.Unwritten(10L * BLOCK, 12L * BLOCK));
      assertThat(file.nextUnwritten(11L * BLOCK, 16L * BLOCK))
          .contains(new SparseFile.Unwritten(11L * BLOCK, 12L * BLOCK));
      assertThat(file.nextUnwritten(12L * BLOCK, 16L * BLOCK)).isEmpty();
    }
  }

  @Test
  void openFileStaysUsableAfterItIsRenamedOrDeleted() throws IOException {
    try (SparseFile file = SparseFile.open(path)) {
      Files.delete(path);
      Files.write(path, new byte[1]);
      assertThat(file.size()).isEqualTo(16L * BLOCK);
      assertThat(Files.size(file.link())).isEqualTo(16L * BLOCK);
      file.grow(20L * BLOCK);
      file.grow(BLOCK);
      assertThat(file.size()).isEqualTo(20L * BLOCK);
    }
    assertThat(path).hasSize(1);
  }

  @Test
  void punchedRangeReadsAsZeroesToTheByteAndBecomesAHole() throws IOException {
    try (SparseFile file = SparseFile.open(path)) {
      assertThat(file.punchHole(5L * BLOCK - 3, BLOCK + 6)).isTrue();
      assertThat(file.nextHole(4L * BLOCK)).isEqualTo(5L * BLOCK);
    }
    byte[] content = Files.readAllBytes(path);
    assertThat(content).hasSize(16 * BLOCK);
    assertThat(content[5 * BLOCK - 4]).isEqualTo((byte) 7);
    assertThat(content[5 * BLOCK - 3]).isZero();
    assertThat(content[6 * BLOCK + 2]).isZero();
    assertThat(content[6 * BLOCK + 3]).isEqualTo((byte) 7);
  }

  @Test
  void zeroedRangeReadsAsZeroesWhereSupported() throws IOException {
    boolean zeroed;
    try (SparseFile file = SparseFile.open(path)) {
      zeroed = file.zeroRange(4L * BLOCK, BLOCK);
    }
    assertThat(Files.readAllBytes(path)[4 * BLOCK]).isEqualTo((byte) (zeroed ? 0 : 7));
  }

  // A host that cannot report cached pages reads nothing; the test then checks only this.
  @Test
  void freshlyWrittenBytesAreReadFromThePageCacheIfTheHostSupportsIt() throws IOException {
    ByteBuffer target = ByteBuffer.allocateDirect(3 * BLOCK);
    target.position(BLOCK).limit(2 * BLOCK);
    try (SparseFile file = SparseFile.open(path)) {
      boolean read = file.readCached(target, 4L * BLOCK + 3);
      assertThat(target.position()).isEqualTo(read ? 2 * BLOCK : BLOCK);
      target.clear();
      if (read) {
        assertThat(file.tellsCached()).isTrue();
        assertThat(target.get(BLOCK - 1)).isZero();
        assertThat(target.get(BLOCK)).isEqualTo((byte) 7);
        assertThat(target.get(2 * BLOCK - 1)).isEqualTo((byte) 7);
        assertThat(target.get(2 * BLOCK)).isZero();
      }
    }
  }

  @Test
  void partlyCachedRangeIsNotReadFromThePageCache() throws IOException {
    try (SparseFile file = SparseFile.open(path)) {
      ByteBuffer target = ByteBuffer.allocateDirect(BLOCK);
      assertThat(file.readCached(target, 15L * BLOCK + 1)).as("past the end").isFalse();
      assertThat(file.readCached(target, 11L * BLOCK)).as("never read").isFalse();
      assertThat(file.readCached(ByteBuffer.allocate(BLOCK), 4L * BLOCK)).as("no memory").isFalse();
      assertThat(target.position()).isZero();
    }
  }

  @Test
  void missingFileIsNamed() {
    assertThatThrownBy(() -> SparseFile.open(folder.resolve("absent")))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("absent");
  }

  @Test
  void directoryEntriesCanBeSynced() throws IOException {
    SparseFile.syncDirectory(folder);
    assertThatThrownBy(() -> SparseFile.syncDirectory(folder.resolve("absent")))
        .isInstanceOf(IOException.class);
  }
}
