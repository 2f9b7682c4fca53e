package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The content of a backup at any offset is that of the whole backup. */
class BackupContentTest {
  @TempDir Path folder;
  private final TestTime time = new TestTime();
  private MemoryObjectStore store;
  private byte[] whole;

  @BeforeEach
  void unpack() throws Exception {
    store = LonghornFixture.store(folder);
    whole = Restored.bytes(store, LonghornFixture.SNAP1);
  }

  private BackupContent open() throws StorageException {
    return BackupContent.open(store, LonghornFixture.SNAP1, time);
  }

  @Test
  void anyRangeHasTheBytesOfTheBackup() throws Exception {
    Random random = new Random(3);
    try (BackupContent content = open()) {
      for (int i = 0; i < 60; i++) {
        int offset = random.nextInt(whole.length);
        int length = 1 + random.nextInt(Math.min(5 << 20, whole.length - offset));
        ByteBuffer read = ByteBuffer.allocate(length);
        content.cursor().read(offset, read);
        assertThat(read.flip()).isEqualTo(ByteBuffer.wrap(whole, offset, length));
      }
    }
  }

  @Test
  void everythingOutsideTheAllocatedPartsIsZero() throws Exception {
    byte[] rest = whole.clone();
    try (BackupContent content = open()) {
      for (int offset = 0; offset < whole.length; offset += 3 << 20) {
        content.allocated(
            offset,
            3 << 20,
            (from, length) -> Arrays.fill(rest, (int) from, (int) (from + length), (byte) 0));
      }
    }
    assertThat(rest).containsOnly(0);
    assertThat(whole).isNotEqualTo(rest);
  }

  @Test
  void damagedBlockIsNamedAndTheNextReadIsRight() throws Exception {
    String key =
        LonghornKeys.block(
            "vol1", new LonghornBackups(store).backup(LonghornFixture.SNAP1).blocks().checksum(1));
    store.delete(List.of(key));
    try (BackupContent content = open()) {
      assertThatThrownBy(() -> content.cursor().read(2 << 20, ByteBuffer.allocate(4096)))
          .isInstanceOf(DamagedBlockException.class)
          .hasMessageContaining(key);
      ByteBuffer read = ByteBuffer.allocate(4096);
      content.cursor().read(0, read);
      assertThat(read.flip()).isEqualTo(ByteBuffer.wrap(whole, 0, 4096));
    }
  }

  /** Work that a test lets run. */
  private static final class HeldWork implements Executor {
    private final List<Runnable> held = new ArrayList<>();

    @Override
    public void execute(Runnable work) {
      held.add(work);
    }

    void run() {
      held.forEach(Runnable::run);
      held.clear();
    }
  }

  @Test
  void contentIsReadBeforeItsLockIsAdmitted() throws Exception {
    HeldWork admission = new HeldWork();
    try (BackupContent content =
        BackupContent.openAtOnce(store, LonghornFixture.SNAP1, time, admission)) {
      ByteBuffer read = ByteBuffer.allocate(4096);
      content.cursor().read(0, read);
      assertThat(read.flip()).isEqualTo(ByteBuffer.wrap(whole, 0, 4096));
      admission.run();
      assertThatThrownBy(() -> new LonghornBackupRemoval(store, time).remove(LonghornFixture.SNAP2))
          .hasMessageContaining("excludes this operation");
    }
  }

  @Test
  void deletionThatWasFirstEndsTheReading() throws Exception {
    VolumeLock deletion = VolumeLock.acquire(store, "vol1", VolumeLock.Type.DELETE, time);
    HeldWork admission = new HeldWork();
    try (BackupContent content =
        BackupContent.openAtOnce(store, LonghornFixture.SNAP1, time, admission)) {
      BackupContent.Cursor cursor = content.cursor();
      cursor.read(0, ByteBuffer.allocate(4096));
      admission.run();
      assertThatThrownBy(() -> cursor.read(0, ByteBuffer.allocate(4096)))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    }
    deletion.close();
  }

  @Test
  void contentThatIsClosedBeforeItsAdmissionLeavesNoLock() throws Exception {
    HeldWork admission = new HeldWork();
    BackupContent.openAtOnce(store, LonghornFixture.SNAP1, time, admission).close();
    admission.run();
    List<String> locks = new ArrayList<>();
    store.list(LonghornKeys.locksFolder("vol1"), "", object -> locks.add(object.key()));
    assertThat(locks).isEmpty();
  }

  @Test
  void openContentExcludesDeletion() throws Exception {
    BackupContent content = BackupContent.open(store, LonghornFixture.SNAP1, time);
    assertThatThrownBy(() -> new LonghornBackupRemoval(store, time).remove(LonghornFixture.SNAP2))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    content.close();
    assertThat(new LonghornBackupRemoval(store, time).remove(LonghornFixture.SNAP2).kept())
        .isEmpty();
  }
}
