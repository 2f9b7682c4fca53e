package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Backups admit each other; deletions exclude them; a lease ends by the clock of the target. */
class VolumeLockTest {
  private final TestTime time = new TestTime();
  private final MemoryObjectStore store = new MemoryObjectStore(time);

  private VolumeLock acquire(VolumeLock.Type type) throws StorageException {
    return VolumeLock.acquire(store, "vol1", type, time);
  }

  private List<String> locks() throws StorageException {
    List<String> keys = new ArrayList<>();
    store.list(LonghornKeys.locksFolder("vol1"), "", found -> keys.add(found.key()));
    return keys;
  }

  private void assertBusy(VolumeLock.Type type) {
    assertThatThrownBy(() -> acquire(type))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
  }

  @Test
  void backupsAdmitEachOtherAndExcludeDeletions() throws Exception {
    VolumeLock first = acquire(VolumeLock.Type.BACKUP);
    VolumeLock second = acquire(VolumeLock.Type.BACKUP);
    assertBusy(VolumeLock.Type.DELETE);
    assertThat(locks()).hasSize(2);
    first.close();
    second.close();
    try (VolumeLock deletion = acquire(VolumeLock.Type.DELETE)) {
      assertBusy(VolumeLock.Type.BACKUP);
      deletion.refresh();
    }
    assertThat(locks()).isEmpty();
  }

  @Test
  void lockHasTheFormOfLonghorn() throws Exception {
    try (VolumeLock lock = acquire(VolumeLock.Type.DELETE)) {
      lock.refresh();
      String key = locks().get(0);
      String name = key.substring(key.lastIndexOf('/') + 1).replace(".lck", "");
      assertThat(name).matches("lock-[0-9a-f]{16}");
      assertThat(LonghornFixture.text(store, key))
          .isEqualTo("{\"Name\":\"" + name + "\",\"Type\":2,\"Acquired\":true}");
    }
  }

  @Test
  void lockOfADeadProcessEndsWithItsLease() throws Exception {
    VolumeLock dead = acquire(VolumeLock.Type.BACKUP);
    time.pause(VolumeLock.LEASE.minusSeconds(10));
    assertBusy(VolumeLock.Type.DELETE);
    time.pause(Duration.ofSeconds(20));
    try (VolumeLock deletion = acquire(VolumeLock.Type.DELETE)) {
      deletion.refresh();
      assertThat(locks()).hasSize(1);
      assertThatThrownBy(dead::refresh).hasMessageContaining("was lost: start the operation again");
    }
  }

  @Test
  void earlierLockHasPriorityByTheTimesOfListings() throws Exception {
    String earlier = LonghornKeys.locksFolder("vol1") + "lock-0000000000000000.lck";
    put(earlier, "{\"Name\":\"lock-0000000000000000\",\"Type\":2,\"Acquired\":false}");
    time.pause(Duration.ofSeconds(1));
    ObjectStore lagging =
        new ForwardingObjectStore(store) {
          @Override
          public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
              throws StorageException {
            StoredObject put = super.put(key, content, options);
            Instant answered = put.modified().minusSeconds(3);
            return new StoredObject(key, put.size(), put.tag(), answered);
          }
        };

    assertThatThrownBy(() -> VolumeLock.acquire(lagging, "vol1", VolumeLock.Type.BACKUP, time))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
  }

  private void put(String key, String text) throws StorageException {
    store.put(
        key, List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))), PutOptions.REPLACE);
  }

  @Test
  void holderThatSleptThroughItsLeaseNotices() throws Exception {
    try (VolumeLock lock = acquire(VolumeLock.Type.BACKUP)) {
      time.pause(Duration.ofSeconds(200));
      assertThatThrownBy(lock::keep)
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    }
  }

  @Test
  void keptLockOutlivesManyLeases() throws Exception {
    try (VolumeLock lock = acquire(VolumeLock.Type.BACKUP)) {
      for (int i = 0; i < 20; i++) {
        time.pause(Duration.ofSeconds(61));
        lock.keep();
      }
      assertBusy(VolumeLock.Type.DELETE);
    }
  }

  @Test
  void earlierOfTwoUnacquiredLocksHasPriority() throws Exception {
    LonghornFixture.put(
        store,
        LonghornKeys.locksFolder("vol1") + "lock-0000000000000000.lck",
        "{\"Name\":\"lock-0000000000000000\",\"Type\":2,\"Acquired\":false}");
    assertBusy(VolumeLock.Type.BACKUP);
    assertThat(locks()).hasSize(1);
  }

  @Test
  void lockThatCannotBeReadExcludes() throws Exception {
    LonghornFixture.put(store, LonghornKeys.locksFolder("vol1") + "lock-x.lck", "[");
    assertBusy(VolumeLock.Type.BACKUP);
    assertBusy(VolumeLock.Type.DELETE);
  }

  @Test
  void failedListOfLocksGrantsNothing() throws Exception {
    FaultyObjectStore faulty =
        new FaultyObjectStore(
            store,
            (call, key) -> {
              if (call == FaultyObjectStore.Call.LIST) {
                throw new StorageException(ErrorCode.TIMEOUT, "the list failed");
              }
            });

    assertThatThrownBy(() -> VolumeLock.acquire(faulty, "vol1", VolumeLock.Type.DELETE, time))
        .hasMessage("the list failed");
    assertThat(locks()).isEmpty();
  }

  @Test
  void writerThatSleptThroughItsLeaseMakesNothingVisible() throws Exception {
    KilledTarget world = BackupKillsTest.threeBackups(3);
    ByteSource source = world.snapshot("backup-4", Optional.of("backup-3"));

    assertThatThrownBy(
            () ->
                new LonghornBackupWriter(world.store, 1, world.time)
                    .write(
                        source.request(KilledTarget.VOLUME, "backup-4"),
                        source,
                        (done, total) -> {
                          if (done == total) {
                            world.time.pause(Duration.ofSeconds(200));
                          }
                        }))
        .hasMessageContaining("was lost");
    LonghornBackups backups = new LonghornBackups(world.store);
    StoredVolume volume = backups.volume(KilledTarget.VOLUME);
    assertThat(backups.summary(volume, "backup-4").inProgress()).isTrue();
    assertThat(volume.lastBackup()).isEqualTo("backup-3");
  }
}
