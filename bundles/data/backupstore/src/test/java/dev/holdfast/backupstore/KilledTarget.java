package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.layout.BackupLayout;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A target with backups of one volume, whose user may be killed after any call. */
final class KilledTarget {
  static final int BLOCK = 2 << 20;
  static final String VOLUME = "vol1";
  private static final int BLOCKS = 3;

  final TestTime time = new TestTime();
  final MemoryObjectStore store = new MemoryObjectStore(time);
  final Map<String, ByteSource> sources = new HashMap<>();
  private final Random random;

  private final BackupLayout layout;

  KilledTarget(long seed) {
    this(seed, BackupLayout.LONGHORN);
  }

  KilledTarget(long seed, BackupLayout layout) {
    this.random = new Random(seed);
    this.layout = layout;
  }

  LaidOutBackups backups() {
    return new LaidOutBackups(store, time);
  }

  /** Something that a process does with the target. */
  interface Work {
    void run(ObjectStore target) throws StorageException;
  }

  static BackupName name(String backup) {
    return new BackupName(VOLUME, backup);
  }

  /** Makes a snapshot with some blocks changed since another one. */
  ByteSource snapshot(String backup, Optional<String> base) {
    byte[] content =
        base.map(earlier -> sources.get(earlier).content.clone())
            .orElse(new byte[BLOCKS * BLOCK + 4096]);
    for (int i = 0; i < 3; i++) {
      byte[] bytes = new byte[4096];
      random.nextBytes(bytes);
      System.arraycopy(bytes, 0, content, random.nextInt(BLOCKS) * BLOCK, bytes.length);
    }
    ByteSource source = new ByteSource("uid-" + backup, content, base.map(sources::get));
    sources.put(backup, source);
    return source;
  }

  Work write(String backup) {
    ByteSource source = sources.get(backup);
    return target -> {
      var unused =
          new LaidOutBackups(target, time)
              .write(
                  source.request(VOLUME, backup),
                  layout,
                  source,
                  1,
                  LonghornBackupWriter.Progress.NONE);
    };
  }

  Work remove(String backup) {
    return target -> {
      var unused = new LaidOutBackups(target, time).remove(name(backup));
    };
  }

  /** Runs work whose process is killed after so many calls. Returns how many calls it made. */
  int killedAfter(int calls, Work work) {
    AtomicInteger made = new AtomicInteger();
    FaultyObjectStore killed =
        new FaultyObjectStore(
            store,
            (call, key) -> {
              if (made.incrementAndGet() > calls) {
                throw new StorageException(ErrorCode.UNREACHABLE, "killed");
              }
            });
    try {
      work.run(killed);
    } catch (StorageException e) {
      assertThat(e).hasMessageContaining("killed");
    }
    return made.get();
  }

  Work collect() {
    return target -> {
      var unused = new LaidOutBackups(target, time).collect(VOLUME);
    };
  }

  /** Lets the grace time of what no backup needs end. */
  void waitForTrash() {
    time.pause(Duration.ofMinutes(11));
  }

  /** Lets the leases of dead processes end. */
  void waitForLeases() {
    time.pause(Duration.ofMinutes(5));
  }

  /** Every backup that can be seen as complete has the content of its snapshot. */
  void assertRight(String when) throws StorageException {
    LaidOutBackups backups = backups();
    if (!backups.hasVolume(VOLUME)) {
      return;
    }
    StoredVolume volume = backups.volume(VOLUME);
    for (BackupName backup : backups.backupNames(VOLUME)) {
      BackupSummary summary = backups.summary(volume, backup.backup());
      if (!summary.inProgress()) {
        assertThat(Restored.bytes(store, summary.name()))
            .as("content of %s, %s", summary.name(), when)
            .isEqualTo(sources.get(summary.name().backup()).content);
      }
    }
  }

  /** No block is there that no backup needs, and no backup is in progress. */
  void assertWithoutRemains(String when) throws StorageException {
    LonghornBackups backups = new LonghornBackups(store);
    Set<String> needed = new HashSet<>();
    for (BackupName name : backups.backupNames(VOLUME)) {
      BlockList blocks = backups.backup(name).blocks();
      for (int i = 0; i < blocks.size(); i++) {
        needed.add(LonghornKeys.block(VOLUME, blocks.checksum(i)));
      }
    }
    assertThat(LonghornFixture.blocks(store)).as(when).hasSameElementsAs(needed);
    store.list(
        LonghornKeys.locksFolder(VOLUME),
        "",
        lock -> assertThat(lock.modified()).as("lock %s", lock.key()).isAfter(time.instant()));
  }
}
