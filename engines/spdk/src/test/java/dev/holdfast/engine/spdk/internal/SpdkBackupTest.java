package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupReading;
import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.BlockSink;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.DamagedBlock;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.LonghornBackups;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backupstore.WrittenBackup;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Backups of a mirror, written from its snapshots, and restored into another volume. */
class SpdkBackupTest extends TargetEndTestBase {
  private static final int BACKUP_BLOCK = 2 << 20;
  private static final int CLUSTER = 1 << 20;

  private final MemoryObjectStore store = new MemoryObjectStore(Clock.systemUTC());
  private final Random random = new Random(3);

  private byte[] bytes(int length) {
    byte[] content = new byte[length];
    random.nextBytes(content);
    return content;
  }

  private static byte[] content(SpdkVolume volume) throws StorageException {
    return new DeviceIo(volume.device()).read(0, (int) SIZE);
  }

  private WrittenBackup backup(
      SpdkVolume volume, String snapshot, LonghornBackupWriter.Progress progress)
      throws StorageException {
    BackupRequest request =
        new BackupRequest(
            new BackupName("vol", "backup-of-" + snapshot),
            snapshot,
            SnapshotContentSource.uid(snapshot),
            Instant.EPOCH,
            Map.of(),
            false,
            BACKUP_BLOCK,
            Compression.LZ4,
            RecordedImage.NONE);
    try (SnapshotContentSource source = new SnapshotContentSource(volume, snapshot)) {
      return new LonghornBackupWriter(store, 1).write(request, source, progress);
    }
  }

  private WrittenBackup backup(SpdkVolume volume, String snapshot) throws StorageException {
    return backup(volume, snapshot, LonghornBackupWriter.Progress.NONE);
  }

  /** Writes a backup through the device of a new volume with two replicas. Returns its content. */
  private byte[] restored(String snapshot) throws Exception {
    List<ReplicaLocation> places =
        replicas(2).stream()
            .map(
                one ->
                    new ReplicaLocation(
                        snapshot, one.replica(), one.disk(), snapshot + one.replica(), false))
            .toList();
    for (ReplicaLocation place : places) {
      engine.provisionReplica(place, SIZE);
    }
    OpenRequest request =
        new OpenRequest(
            snapshot, SIZE, "node-1", places, new InMemoryRegister(), new RecordingListener());
    try (SpdkVolume copy = (SpdkVolume) engine.open(request)) {
      DeviceIo io = new DeviceIo(copy.device());
      new BackupReading(store, 1)
          .all(
              new LonghornBackups(store).backup(new BackupName("vol", "backup-of-" + snapshot)),
              new BlockSink() {
                @Override
                public void block(long offset, ByteBuffer block) throws StorageException {
                  byte[] content = new byte[block.remaining()];
                  block.get(content);
                  io.write(offset, content);
                }

                @Override
                public void damaged(DamagedBlock block) {
                  throw new AssertionError(block.toString());
                }
              });
      assertThat(copy.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      return content(copy);
    }
  }

  @Test
  void incrementReadsChangedClustersAndBothBackupsAreRestored() throws Exception {
    try (SpdkVolume volume = open(2)) {
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, bytes(3 * CLUSTER));
      io.write(11 * CLUSTER, bytes(BLOCK));
      byte[] first = content(volume);
      var s1 = volume.createSnapshot(named("s1"));
      io.write(5 * CLUSTER + BLOCK, bytes(BLOCK));
      io.trim(0, CLUSTER);
      byte[] second = content(volume);
      var s2 = volume.createSnapshot(named("s2"));
      io.write(0, bytes(CLUSTER));

      WrittenBackup whole = backup(volume, s1.name());
      assertThat(whole.base()).isEmpty();
      assertThat(whole.readBytes()).as("blocks of four clusters").isEqualTo(3L * BACKUP_BLOCK);
      WrittenBackup increment = backup(volume, s2.name());
      assertThat(increment.base()).isEqualTo("backup-of-s1");
      assertThat(increment.readBytes())
          .as("blocks of the clusters that were written or trimmed")
          .isBetween((long) BACKUP_BLOCK, 2L * BACKUP_BLOCK);

      assertThat(restored("s1")).isEqualTo(first);
      assertThat(restored("s2")).isEqualTo(second);
    }
  }

  @Test
  void backupThatLostItsTargetIsWrittenAgainFromTheSameSnapshot() throws Exception {
    try (SpdkVolume volume = open(2)) {
      new DeviceIo(volume.device()).write(0, bytes(4 * BACKUP_BLOCK));
      byte[] expected = content(volume);
      var s1 = volume.createSnapshot(named("s1"));
      AtomicBoolean restarted = new AtomicBoolean();
      assertThatThrownBy(
              () ->
                  backup(
                      volume,
                      s1.name(),
                      (done, total) -> {
                        if (restarted.compareAndSet(false, true)) {
                          restartTargetNow();
                        }
                      }))
          .isInstanceOf(StorageException.class);
      new DeviceIo(volume.device()).write(0, bytes(CLUSTER));

      assertThat(backup(volume, s1.name()).readBytes()).isEqualTo(4L * BACKUP_BLOCK);
      assertThat(restored("s1")).isEqualTo(expected);
      volume.deleteSnapshot("s1");
      assertThat(volume.snapshots()).as("snapshots that a reader keeps").isEmpty();
    }
  }

  private void restartTargetNow() {
    try {
      restartTarget();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
