package dev.holdfast.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFileTest {
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("lock");
  }

  @Test
  void refusedTryLeavesTheLockInTheKernel() throws Exception {
    LockFile held = LockFile.tryLock(file).orElseThrow();
    assertThat(LockFile.tryLock(file)).isEmpty();
    Path other = Files.createSymbolicLink(folder.resolve("other"), folder).resolve("lock");
    assertThat(LockFile.tryLock(other)).isEmpty();
    assertThat(lockedInKernel()).isTrue();
    assertThat(LockFile.heldHere(file)).isTrue();
    held.close();
    held.close();
    assertThat(lockedInKernel()).isFalse();
    assertThat(LockFile.heldHere(file)).isFalse();
    LockFile.tryLock(file).orElseThrow().close();
    Files.delete(other.getParent());
  }

  // Locks like a version of a bundle that was built before this class.
  @Test
  void refusedTryLeavesTheLockOfAHolderWithoutARecord() throws Exception {
    try (FileChannel plain =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertThat(plain.tryLock()).isNotNull();
      assertThat(LockFile.tryLock(file)).isEmpty();
      assertThat(LockFile.tryLock(file)).isEmpty();
      assertThat(lockedInKernel()).isTrue();
    }
    LockFile next = LockFile.tryLock(file).orElseThrow();
    assertThat(lockedInKernel()).isTrue();
    next.close();
  }

  @Test
  void writeReplacesTheContent() throws Exception {
    Files.writeString(file, "longer than before");
    try (LockFile held = LockFile.tryLock(file).orElseThrow()) {
      held.write("12".getBytes(StandardCharsets.US_ASCII));
    }
    assertThat(file).hasContent("12");
  }

  // Returns the result of another process's attempt to lock the file.
  private boolean lockedInKernel() throws IOException {
    Object inode = Files.getAttribute(file, "unix:ino");
    return Files.readString(Path.of("/proc/locks")).contains(":" + inode + " ");
  }
}
