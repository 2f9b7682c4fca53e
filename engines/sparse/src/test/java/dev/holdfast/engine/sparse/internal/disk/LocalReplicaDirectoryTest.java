package dev.holdfast.engine.sparse.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalReplicaDirectoryTest {
  @TempDir private Path folder;

  @Test
  void refusedLockLeavesTheHoldersLockInTheKernel() throws Exception {
    LocalReplicaDirectory holder = new LocalReplicaDirectory(folder);
    assertThat(holder.lock()).isTrue();
    assertThat(new LocalReplicaDirectory(folder).lock()).isFalse();
    assertThat(lockedInKernel()).isTrue();
    holder.unlock();
    assertThat(lockedInKernel()).isFalse();
  }

  @Test
  void lockIsFreeAfterItsHolderUnlocks() throws Exception {
    LocalReplicaDirectory first = new LocalReplicaDirectory(folder);
    LocalReplicaDirectory second = new LocalReplicaDirectory(folder);
    assertThat(first.lock()).isTrue();
    assertThat(first.lock()).isTrue();
    second.unlock();
    assertThat(second.lock()).isFalse();
    first.unlock();
    assertThat(second.lock()).isTrue();
    second.unlock();
  }

  // The result of another process that tries to lock the file.
  private boolean lockedInKernel() throws IOException {
    Object inode = Files.getAttribute(folder.resolve(StateFiles.LOCK), "unix:ino");
    return Files.readString(Path.of("/proc/locks")).contains(":" + inode + " ");
  }
}
