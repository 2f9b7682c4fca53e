package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backupstore.internal.packed.PackedTrailers;
import dev.holdfast.backupstore.layout.BackupLayout;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backups of a volume in the packed layout: written, restored, damaged, verified, removed. */
class PackedBackupsTest {
  private static final int CHUNK = 64 << 10;
  private static final String VOLUME = "vol1";

  private final TestTime time = new TestTime();
  private final MemoryObjectStore store = new MemoryObjectStore(time);
  private final LaidOutBackups backups = new LaidOutBackups(store, time);
  private final Random random = new Random(5);

  private static BackupName name(String backup) {
    return new BackupName(VOLUME, backup);
  }

  private WrittenBackup write(String backup, ByteSource source) throws StorageException {
    return write(backup, source, Compression.LZ4);
  }

  private WrittenBackup write(String backup, ByteSource source, Compression compression)
      throws StorageException {
    return backups.write(
        source.request(VOLUME, backup, compression),
        BackupLayout.PACKED,
        source,
        2,
        LonghornBackupWriter.Progress.NONE);
  }

  private ByteSource source(String uid, byte[] content, ByteSource base) {
    return new ByteSource(uid, content, Optional.ofNullable(base));
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private List<StoredObject> objects(String part) throws StorageException {
    List<StoredObject> found = new ArrayList<>();
    store.list("holdfast/v1/volumes/", "", found::add);
    return found.stream().filter(object -> object.key().contains(part)).toList();
  }

  @Test
  void incrementStoresOnlyChangedChunks() throws Exception {
    byte[] first = new byte[40 * CHUNK + 4096];
    System.arraycopy(bytes(30 * CHUNK), 0, first, CHUNK, 30 * CHUNK);
    System.arraycopy(bytes(4096), 0, first, 40 * CHUNK, 4096);
    ByteSource one = source("uid-1", first, null);
    WrittenBackup full = write("backup-1", one);
    assertThat(full.base()).isEmpty();
    assertThat(full.summary().sizeBytes()).isEqualTo(31L * CHUNK);

    byte[] second = first.clone();
    System.arraycopy(bytes(4096), 0, second, 5 * CHUNK + 8192, 4096);
    Arrays.fill(second, 7 * CHUNK, 8 * CHUNK, (byte) 0);
    WrittenBackup delta = write("backup-2", source("uid-2", second, one));

    assertThat(delta.base()).isEqualTo("backup-1");
    assertThat(delta.readBytes()).isEqualTo(2L * CHUNK);
    assertThat(delta.newBytes()).isBetween(4096L, CHUNK + 1024L);
    assertThat(Restored.bytes(store, name("backup-1"))).isEqualTo(first);
    assertThat(Restored.bytes(store, name("backup-2"))).isEqualTo(second);
    List<StoredObject> maps = objects("/maps/");
    assertThat(maps).hasSize(2);
    assertThat(maps.get(1).size()).as("size of the map of changes").isLessThan(256);
    assertThat(backups.volumes()).containsExactly(VOLUME);
    assertThat(backups.volume(VOLUME).lastBackup()).isEqualTo("backup-2");
  }

  @Test
  void equalChunksAreStoredOnce() throws Exception {
    byte[] content = new byte[16 * CHUNK];
    byte[] chunk = bytes(CHUNK);
    for (int i = 0; i < 16; i++) {
      System.arraycopy(chunk, 0, content, i * CHUNK, CHUNK);
    }
    WrittenBackup written = write("backup-1", source("uid-1", content, null));
    assertThat(written.newBytes()).isLessThan(2L * CHUNK);
    assertThat(Restored.bytes(store, name("backup-1"))).isEqualTo(content);
  }

  @Test
  void randomHistoryIsRestoredAtEachBackupAndAfterEachRemoval() throws Exception {
    byte[] content = new byte[100 * CHUNK];
    ByteSource base = null;
    List<byte[]> contents = new ArrayList<>();
    for (int n = 0; n < 45; n++) {
      content = n % 9 == 8 ? Arrays.copyOf(content, content.length + 3 * 4096) : content.clone();
      int changes = n == 0 ? 60 : 1 + random.nextInt(2);
      for (int i = 0; i < changes; i++) {
        int page = random.nextInt(content.length / 4096) * 4096;
        byte[] bytes = random.nextInt(4) == 0 ? new byte[4096] : bytes(4096);
        System.arraycopy(bytes, 0, content, page, 4096);
      }
      boolean reverted = random.nextInt(10) == 0;
      ByteSource next = source("uid-" + n, content, reverted ? null : base);
      WrittenBackup written = write("backup-" + n, next);
      assertThat(written.base().isEmpty()).isEqualTo(n == 0 || reverted);
      base = next;
      contents.add(content);
      assertThat(Restored.bytes(store, name("backup-" + n))).isEqualTo(content);
    }
    for (int n = 0; n < contents.size(); n += 2) {
      assertThat(backups.remove(name("backup-" + n)).kept()).isEmpty();
    }
    for (int n = 1; n < contents.size(); n += 2) {
      assertThat(Restored.bytes(store, name("backup-" + n))).isEqualTo(contents.get(n));
    }
    backups.removeVolume(VOLUME);
    assertThat(objects("")).isEmpty();
    assertThat(backups.hasVolume(VOLUME)).isFalse();
  }

  @Test
  void volumeStaysInTheLayoutOfItsFirstBackup() throws Exception {
    ByteSource one = source("uid-1", bytes(2 * CHUNK), null);
    write("backup-1", one);
    var unused =
        backups.write(
            one.request(VOLUME, "backup-2"),
            BackupLayout.LONGHORN,
            one,
            1,
            LonghornBackupWriter.Progress.NONE);
    assertThat(backups.backupNames(VOLUME)).containsExactly(name("backup-1"), name("backup-2"));
    assertThat(new LonghornBackups(store).hasVolume(VOLUME)).isFalse();
  }

  @Test
  void fullBackupRepairsAFlippedBit() throws Exception {
    ByteSource one = source("uid-1", bytes(4 * CHUNK), null);
    write("backup-1", one);
    flip(objects("/packs/").get(0), CHUNK + 100);
    BackupRequest request = one.request(VOLUME, "backup-2");
    BackupRequest full =
        new BackupRequest(
            request.name(),
            request.snapshot(),
            request.snapshotUid(),
            request.snapshotCreatedAt(),
            request.labels(),
            true,
            request.blockSize(),
            request.compression(),
            request.image());
    var unused =
        backups.write(full, BackupLayout.PACKED, one, 1, LonghornBackupWriter.Progress.NONE);
    BackupVerification verification = new BackupVerification(store, 2);
    assertThat(verification.verify(backups.backup(name("backup-1"))).damaged()).hasSize(1);
    assertThat(verification.verify(backups.backup(name("backup-2"))).intact()).isTrue();
  }

  @Test
  void lostPackIsNamedAndTheNextBackupSendsItsChunksAgain() throws Exception {
    ByteSource one = source("uid-1", bytes(4 * CHUNK), null);
    write("backup-1", one);
    String pack = objects("/packs/").get(0).key();
    store.delete(List.of(pack));
    VerifiedBackup found =
        new BackupVerification(store, 2).verify(backups.backup(name("backup-1")));
    assertThat(found.damaged()).hasSize(4).allMatch(block -> block.key().equals(pack));
    write("backup-2", source("uid-2", one.content, one));
    assertThat(Restored.bytes(store, name("backup-2"))).isEqualTo(one.content);
  }

  private void flip(StoredObject object, int bit) throws StorageException {
    byte[] bytes = LonghornFixture.get(store, object.key());
    bytes[(bit / 8) % bytes.length] ^= (byte) (1 << (bit % 8));
    store.put(object.key(), List.of(ByteBuffer.wrap(bytes)), PutOptions.REPLACE);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void eachCompressionIsReadBack(Compression compression) throws Exception {
    byte[] content = new byte[5 * CHUNK + 4096];
    System.arraycopy(bytes(CHUNK), 0, content, CHUNK, CHUNK);
    Arrays.fill(content, 2 * CHUNK, 4 * CHUNK + 17, (byte) 'x');
    WrittenBackup written = write("backup-1", source("uid-1", content, null), compression);
    assertThat(written.summary().compression()).isEqualTo(compression);
    if (compression != Compression.NONE) {
      assertThat(written.newBytes()).isLessThan(2L * CHUNK);
    }
    assertThat(Restored.bytes(store, name("backup-1"))).isEqualTo(content);
  }

  @Test
  void zstdIsRefusedInLonghornsLayout() {
    ByteSource one = source("uid-1", bytes(CHUNK), null);
    assertThatThrownBy(
            () ->
                backups.write(
                    one.request(VOLUME, "backup-1", Compression.ZSTD),
                    BackupLayout.LONGHORN,
                    one,
                    1,
                    LonghornBackupWriter.Progress.NONE))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining("compression method zstd: the layout of Longhorn has lz4");
  }

  /** Every flipped bit and every cut is found when the backup is read, and its object is named. */
  @ParameterizedTest
  @EnumSource(
      value = Compression.class,
      names = {"LZ4", "ZSTD"})
  void everyDamagedObjectIsFound(Compression compression) throws Exception {
    // A text in parts: random bytes alone are stored by literal blocks of the frames.
    byte[] first = bytes(6 * CHUNK);
    Arrays.fill(first, 100, CHUNK - 100, (byte) 'x');
    ByteSource one = source("uid-1", first, null);
    write("backup-1", one, compression);
    byte[] second = first.clone();
    System.arraycopy(bytes(4096), 0, second, 3 * CHUNK, 4096);
    write("backup-2", source("uid-2", second, one));
    int faults = Boolean.getBoolean("holdfast.soak") ? 5_000 : 200;
    for (int i = 0; i < faults; i++) {
      List<StoredObject> all = objects("");
      StoredObject object = all.get(random.nextInt(all.size()));
      byte[] right = LonghornFixture.get(store, object.key());
      String what = object.key() + ": " + damage(object, right, all);
      assertThat(isFound()).as(what).isTrue();
      store.put(object.key(), List.of(ByteBuffer.wrap(right)), PutOptions.REPLACE);
      assertThat(isFound()).as("after repair of " + what).isFalse();
    }
  }

  private String damage(StoredObject object, byte[] right, List<StoredObject> all)
      throws StorageException {
    switch (random.nextInt(4)) {
      case 0 -> {
        store.delete(List.of(object.key()));
        return "deleted";
      }
      case 1 -> {
        int length = random.nextInt(right.length);
        store.put(object.key(), List.of(ByteBuffer.wrap(right, 0, length)), PutOptions.REPLACE);
        return "cut at " + length;
      }
      case 2 -> {
        StoredObject other = all.get((all.indexOf(object) + 1) % all.size());
        store.put(
            object.key(),
            List.of(ByteBuffer.wrap(LonghornFixture.get(store, other.key()))),
            PutOptions.REPLACE);
        return "exchanged with " + other.key();
      }
      default -> {
        int bit = random.nextInt(8 * right.length);
        flip(object, bit);
        return "bit " + bit + " flipped";
      }
    }
  }

  /** Reads all backups as a verification and a writer do. */
  private boolean isFound() throws StorageException {
    try {
      if (backups.backupNames(VOLUME).size() < 2) {
        return true;
      }
      for (BackupName backup : backups.backupNames(VOLUME)) {
        if (!new BackupVerification(store, 1).verify(backups.backup(backup)).intact()) {
          return true;
        }
      }
      return !PackedTrailers.areReadable(store, objects("/packs/"));
    } catch (StorageException e) {
      assertThat(e.code()).isIn(ErrorCode.IO, ErrorCode.NOT_FOUND, ErrorCode.UNSUPPORTED);
      return true;
    }
  }

  @Test
  void removalKeepsEverythingWhileABackupCannotBeRead() throws Exception {
    ByteSource one = source("uid-1", bytes(2 * CHUNK), null);
    write("backup-1", one);
    write("backup-2", source("uid-2", bytes(2 * CHUNK), null));
    flip(objects("/backups/").get(1), 50);
    int packs = objects("/packs/").size();
    assertThat(backups.remove(name("backup-1")).kept()).contains("backup-2");
    assertThat(objects("/packs/")).hasSize(packs);
  }

  @Test
  void unneededPacksAreDeletedAfterTheGraceTimeByTheNextBackup() throws Exception {
    ByteSource one = source("uid-1", bytes(2 * CHUNK), null);
    write("backup-1", one);
    write("backup-2", source("uid-2", bytes(2 * CHUNK), null));
    assertThat(backups.remove(name("backup-1"))).isEqualTo(new RemovedBackup(0, ""));
    write("backup-3", source("uid-3", bytes(2 * CHUNK), null));
    assertThat(objects("/packs/")).hasSize(3);
    assertThat(objects("/trash/")).hasSize(1);
    time.pause(Duration.ofMinutes(11));
    write("backup-4", source("uid-4", bytes(2 * CHUNK), null));
    assertThat(objects("/packs/")).hasSize(3);
    assertThat(objects("/trash/")).isEmpty();
    assertThat(backups.backupNames(VOLUME)).hasSize(3);
  }

  /** A list may lack the newest objects for a while, and any object once. */
  @Test
  void staleListDeletesNothingThatABackupNeeds() throws Exception {
    byte[] content = bytes(4 * CHUNK);
    ByteSource one = source("uid-1", content, null);
    write("backup-1", one);
    byte[] second = content.clone();
    second[0] ^= 1;
    write("backup-2", source("uid-2", second, one));
    String newest = objects("/backups/").get(1).key();
    LaidOutBackups stale =
        new LaidOutBackups(
            new ForwardingObjectStore(store) {
              @Override
              public void list(String prefix, String after, ObjectVisitor visitor)
                  throws StorageException {
                super.list(
                    prefix,
                    after,
                    object -> {
                      if (!object.key().equals(newest)) {
                        visitor.object(object);
                      }
                    });
              }
            },
            time);
    assertThat(stale.remove(name("backup-1"))).isEqualTo(new RemovedBackup(0, ""));
    assertThat(objects("/trash/")).as("trash").hasSize(1);
    time.pause(Duration.ofMinutes(11));
    assertThat(backups.collect(VOLUME).kept()).isEmpty();
    assertThat(Restored.bytes(store, name("backup-2"))).isEqualTo(second);
    assertThat(objects("/trash/")).isEmpty();
  }

  @Test
  void backupThatAListLacksIsFoundByItsTime() throws Exception {
    time.pause(Duration.ofMillis(700));
    write("backup-1", source("uid-1", bytes(2 * CHUNK), null));
    WrittenBackup written = write("backup-2", source("uid-2", bytes(CHUNK), null));
    Instant created = Instant.parse(written.summary().createdAt());
    LaidOutBackups blind =
        new LaidOutBackups(
            new ForwardingObjectStore(store) {
              @Override
              public void list(String prefix, String after, ObjectVisitor visitor) {
                // Lists nothing.
              }
            },
            time);
    assertThat(blind.mayHaveBackup(name("backup-2"), Optional.of(created))).isTrue();
    assertThat(blind.mayHaveBackup(name("backup-2"), Optional.of(created.plusMillis(999))))
        .isTrue();
    assertThat(blind.mayHaveBackup(name("backup-2"), Optional.empty())).isTrue();
    store.delete(List.of("holdfast/v1/volumes/vol1/format.json"));
    assertThat(blind.mayHaveBackup(name("backup-2"), Optional.of(created))).isTrue();
    assertThat(blind.mayHaveBackup(name("backup-3"), Optional.of(created))).isFalse();
  }

  @Test
  void impossibleNamesAreRefused() throws Exception {
    write("backup-1", source("uid-1", bytes(CHUNK), null));
    assertThatThrownBy(() -> backups.backup(name("backup-9")))
        .hasMessageContaining("has none of that name");
    assertThatThrownBy(
            () ->
                backups.write(
                    source("uid-2", bytes(CHUNK), null).request("x", "backup-1"),
                    BackupLayout.PACKED,
                    source("uid-2", bytes(CHUNK), null),
                    1,
                    LonghornBackupWriter.Progress.NONE))
        .hasMessageContaining("volume \"x\"");
  }
}
