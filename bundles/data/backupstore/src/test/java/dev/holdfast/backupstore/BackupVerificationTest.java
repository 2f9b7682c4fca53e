package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups that share blocks: each block is read once, and named for each backup. */
class BackupVerificationTest {
  @TempDir Path folder;
  private final Queue<String> read = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean away = new AtomicBoolean();
  private MemoryObjectStore store;
  private StoredBackup first;
  private StoredBackup second;
  private BackupVerification verification;

  @BeforeEach
  void unpack() throws Exception {
    store = LonghornFixture.store(folder);
    first = new LonghornBackups(store).backup(LonghornFixture.SNAP1);
    second = new LonghornBackups(store).backup(LonghornFixture.SNAP2);
    FaultyObjectStore counted =
        new FaultyObjectStore(
            store,
            (call, key) -> {
              if (away.get()) {
                throw new StorageException(ErrorCode.UNREACHABLE, "connection reset");
              }
              if (call == FaultyObjectStore.Call.GET) {
                read.add(key);
              }
            });
    verification = new BackupVerification(counted, 2);
  }

  private static Set<String> keys(StoredBackup backup) {
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < backup.blockCount(); i++) {
      keys.add(LonghornKeys.block("vol1", backup.blocks().checksum(i)));
    }
    return keys;
  }

  private String shared() {
    Set<String> both = keys(first);
    both.retainAll(keys(second));
    return both.iterator().next();
  }

  @Test
  void sharedBlocksAreReadOnce() throws Exception {
    assertThat(verification.verify(first))
        .isEqualTo(new VerifiedBackup(LonghornFixture.SNAP1, 30, 30, List.of()));
    assertThat(verification.verify(second))
        .isEqualTo(new VerifiedBackup(LonghornFixture.SNAP2, 32, 32, List.of()));

    Set<String> all = keys(first);
    all.addAll(keys(second));
    assertThat(read).doesNotHaveDuplicates().hasSameSizeAs(all);
  }

  @Test
  void damagedBlockIsNamedForEachBackupThatNeedsIt() throws Exception {
    String key = shared();
    LonghornFixture.put(store, key, "not the block");

    VerifiedBackup one = verification.verify(first);
    VerifiedBackup two = verification.verify(second);

    assertThat(one.damaged()).extracting(DamagedBlock::key).containsExactly(key);
    assertThat(two.damaged()).isEqualTo(one.damaged());
    assertThat(one.damaged().get(0).reason()).startsWith("could not be decompressed");
    assertThat(one.intact()).isFalse();
  }

  @Test
  void blocksThatWereNotReadBecauseOfAFailureAreReadAgain() throws Exception {
    away.set(true);
    assertThatThrownBy(() -> verification.verify(first)).hasMessageContaining("connection reset");
    away.set(false);
    store.delete(List.of(shared()));

    assertThat(verification.verify(first).damaged()).hasSize(1);
  }

  @Test
  void otherBlockSizeIsNotTakenForTheSameBlock() throws Exception {
    verification.verify(first);
    String config = LonghornKeys.backupConfig(LonghornFixture.SNAP2);
    LonghornFixture.put(
        store, config, LonghornFixture.text(store, config).replace("\"2097152\"", "\"1048576\""));
    StoredBackup smaller = new LonghornBackups(store).backup(LonghornFixture.SNAP2);

    assertThat(verification.verify(smaller).damaged()).hasSize(32);
  }

  @Test
  void sampleIsSpreadOverTheBackupAndDiffersFromCallToCall() throws Exception {
    Random random = new Random(7);
    VerifiedBackup sampled = verification.sample(second, 20, random);
    assertThat(sampled).isEqualTo(new VerifiedBackup(LonghornFixture.SNAP2, 32, 7, List.of()));
    assertThat(sampled.intact()).as("a sample says nothing of the other blocks").isFalse();
    assertThat(read).hasSize(7);

    verification.sample(second, 20, random);
    assertThat(read).hasSizeGreaterThan(7);
    assertThat(verification.sample(second, 1, random).checked()).isOne();
    assertThat(verification.sample(second, 100, random).intact()).isTrue();
  }
}
