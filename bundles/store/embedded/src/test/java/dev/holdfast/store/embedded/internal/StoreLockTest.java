package dev.holdfast.store.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreLockTest {
  @TempDir private Path folder;

  @Test
  void refusedOpeningLeavesTheHoldersLockInTheKernel() throws Exception {
    Path store = folder.resolve("holdfast.db");
    StoreLock holder = StoreLock.take(store);
    StorageException refused =
        catchThrowableOfType(StorageException.class, () -> StoreLock.take(store));
    assertThat(refused.code()).isEqualTo(ErrorCode.BUSY);
    assertThat(refused).hasMessageContaining("process " + ProcessHandle.current().pid());
    assertThat(lockedInKernel()).isTrue();
    holder.close();
    StoreLock.take(store).close();
  }

  private boolean lockedInKernel() throws IOException {
    Object inode = Files.getAttribute(folder.resolve("holdfast.db.lock"), "unix:ino");
    return Files.readString(Path.of("/proc/locks")).contains(":" + inode + " ");
  }
}
