package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A backup of a volume on an image holds what was written above the image, zeroes included. */
class ImagedVolumeTest {
  private static final int BLOCK = 2 << 20;
  private static final int SIZE = 4 * BLOCK;
  private static final RecordedImage IMAGE = new RecordedImage("base", "ab", "cd");

  private final TestTime time = new TestTime();
  private final MemoryObjectStore store = new MemoryObjectStore(time);
  private final byte[] image = new byte[SIZE];

  ImagedVolumeTest() {
    new Random(22).nextBytes(image);
  }

  private ByteSource source(String uid, byte[] content, Optional<ByteSource> base) {
    return new ByteSource(uid, content, base, image);
  }

  private WrittenBackup write(ByteSource source, String name, RecordedImage below)
      throws StorageException {
    BackupRequest plain = source.request("vol1", name);
    return new LonghornBackupWriter(store, 2, time)
        .write(
            new BackupRequest(
                plain.name(),
                plain.snapshot(),
                plain.snapshotUid(),
                plain.snapshotCreatedAt(),
                plain.labels(),
                plain.full(),
                plain.blockSize(),
                plain.compression(),
                below),
            source,
            LonghornBackupWriter.Progress.NONE);
  }

  /** Puts the blocks of a backup over the image. */
  private byte[] restored(String name) throws StorageException {
    byte[] content = image.clone();
    StoredBackup backup = new LonghornBackups(store).backup(new BackupName("vol1", name));
    new BackupReading(store, 1)
        .all(
            backup,
            new BlockSink() {
              @Override
              public void block(long offset, ByteBuffer bytes) {
                bytes.get(content, (int) offset, bytes.remaining());
              }

              @Override
              public void damaged(DamagedBlock block) {
                throw new AssertionError(block);
              }
            });
    return content;
  }

  @Test
  void backupContainsOnlyWrittenBlocksAndRecordsTheImage() throws Exception {
    byte[] content = image.clone();
    content[BLOCK + 5]++;
    WrittenBackup written = write(source("u1", content, Optional.empty()), "backup-1", IMAGE);

    assertThat(written.readBytes()).isEqualTo(BLOCK);
    StoredBackup backup = new LonghornBackups(store).backup(new BackupName("vol1", "backup-1"));
    assertThat(backup.blockCount()).isEqualTo(1);
    assertThat(backup.image()).isEqualTo(IMAGE);
    assertThat(restored("backup-1")).isEqualTo(content);
    String config = LonghornFixture.text(store, LonghornKeys.volumeConfig("vol1"));
    assertThat(config)
        .contains("\"BackingImageName\":\"\\\"base\\\"\"")
        .contains("\"BackingImageChecksum\":\"\\\"ab\\\"\"");
  }

  @Test
  void zeroesAboveTheImageAreKeptInEachBackup() throws Exception {
    byte[] content = image.clone();
    Arrays.fill(content, 0, BLOCK, (byte) 0);
    ByteSource first = source("u1", content, Optional.empty());
    write(first, "backup-1", IMAGE);
    assertThat(restored("backup-1")).isEqualTo(content);

    byte[] later = content.clone();
    Arrays.fill(later, 2 * BLOCK, 3 * BLOCK, (byte) 0);
    WrittenBackup second = write(source("u2", later, Optional.of(first)), "backup-2", IMAGE);
    assertThat(second.base()).isEqualTo("backup-1");
    assertThat(second.readBytes()).isEqualTo(BLOCK);
    assertThat(restored("backup-2")).isEqualTo(later);
  }

  @Test
  void backupsOnAnImageAreNotContinuedOnAnotherOne() throws Exception {
    write(source("u1", image.clone(), Optional.empty()), "backup-1", IMAGE);

    for (RecordedImage other :
        new RecordedImage[] {
          RecordedImage.NONE,
          new RecordedImage("base", "ef", "cd"),
          new RecordedImage("b2", "ab", "")
        }) {
      assertThatThrownBy(() -> write(source("u2", image, Optional.empty()), "backup-2", other))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
          .hasMessageContaining("backing image \"base\"");
    }
  }

  @Test
  void earlierBackupsWithTheBytesOfTheImageAreContinuedSo() throws Exception {
    ByteSource first = source("u1", image.clone(), Optional.empty());
    write(first, "backup-1", RecordedImage.NONE);
    byte[] content = image.clone();
    Arrays.fill(content, BLOCK, 2 * BLOCK, (byte) 0);
    write(source("u2", content, Optional.of(first)), "backup-2", IMAGE);

    StoredBackup backup = new LonghornBackups(store).backup(new BackupName("vol1", "backup-2"));
    assertThat(backup.image()).isEqualTo(RecordedImage.NONE);
    assertThat(backup.blockCount()).as("a block of zeroes is left out").isEqualTo(3);
    assertThat(Restored.bytes(store, new BackupName("vol1", "backup-2"))).isEqualTo(content);
  }
}
