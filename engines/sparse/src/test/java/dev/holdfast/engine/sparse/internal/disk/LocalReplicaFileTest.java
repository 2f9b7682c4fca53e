package dev.holdfast.engine.sparse.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Coalescing renames and replaces layers while requests use them. */
class LocalReplicaFileTest {
  private static final int SIZE = 65_536;

  @TempDir private Path folder;
  private Path name;
  private LocalReplicaFile file;

  @BeforeEach
  void open() throws Exception {
    name = Files.write(folder.resolve("layer"), new byte[SIZE]);
    file = new LocalReplicaFile(name);
  }

  @AfterEach
  void close() throws Exception {
    // Otherwise the folder is not removed.
    Thread.interrupted();
    file.close();
  }

  @Test
  void openFileStaysUsableAfterItIsRenamedOrDeleted() throws Exception {
    Files.move(name, folder.resolve("another"));
    assertThat(file.size()).isEqualTo(SIZE);
    file.grow(2L * SIZE);
    assertThat(folder.resolve("another")).hasSize(2L * SIZE);
    assertThat(name).doesNotExist();
    Files.delete(folder.resolve("another"));
    assertThat(file.size()).isEqualTo(2L * SIZE);
  }

  @Test
  void itIsNotGrownToLess() throws Exception {
    file.grow(1);
    assertThat(file.size()).isEqualTo(SIZE);
  }

  @Test
  void afterAnInterruptionItIsNotTakenForTheOneThatHasItsNameNow() throws Exception {
    file.write(ByteBuffer.wrap(new byte[] {1}), 0);
    Path other = Files.write(folder.resolve("other"), new byte[] {2});
    Files.move(other, name, StandardCopyOption.REPLACE_EXISTING);

    Thread.currentThread().interrupt();
    ByteBuffer content = ByteBuffer.allocate(1);
    file.read(content, 0);

    assertThat(content.get(0)).isEqualTo((byte) 1);
    Thread.currentThread().interrupt();
    file.write(ByteBuffer.wrap(new byte[] {3}), 0);
    assertThat(name).hasBinaryContent(new byte[] {2});
  }
}
