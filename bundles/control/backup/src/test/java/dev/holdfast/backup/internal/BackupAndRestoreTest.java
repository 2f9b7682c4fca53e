package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.LonghornBackups;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Volumes are backed up while they are in use, and restored with the content of the snapshot. */
@Tag("slow")
class BackupAndRestoreTest extends BackupLab {
  private List<String> blocks() throws Exception {
    List<String> keys = new ArrayList<>();
    targets.store.list(
        "backupstore/volumes/",
        "",
        object -> {
          if (object.key().endsWith(".blk")) {
            keys.add(object.key());
          }
        });
    return keys;
  }

  @Test
  void incrementalBackupIsRestoredAndDeleted() throws Exception {
    write("from", 0, 7);
    write("from", 20 << 20, 8);
    write("from", 31 << 20, 9);
    byte[] first = content("from");
    request("backup-1");
    Backup whole = completed("backup-1");
    assertThat(whole.status().readDataSize().bytes()).isEqualTo(3L * BLOCK);

    write("from", (20 << 20) + 8192, 5);
    byte[] second = content("from");
    request("backup-2");
    Backup increment = completed("backup-2");
    assertThat(increment.status().baseReason()).isEmpty();
    assertThat(increment.status().base()).isEqualTo("backup-1");
    assertThat(increment.status().readDataSize().bytes()).isEqualTo(BLOCK);
    // This happens before the completion, which ends the ticket of the backup.
    assertThat(store.get(Snapshot.KIND, whole.status().snapshotName()))
        .matches(left -> left.map(Snapshot::isBeingDeleted).orElse(true));
    Awaiting.untilGone(store, Snapshot.KIND, whole.status().snapshotName());

    assertThat(restored("copy-1", whole)).isEqualTo(first);
    assertThat(restored("copy-2", increment)).isEqualTo(second);

    int before = blocks().size();
    store.delete(Backup.KIND, "backup-1", "");
    Awaiting.untilGone(store, Backup.KIND, "backup-1");
    assertThat(blocks()).hasSize(before - 1);
    assertThat(new LonghornBackups(targets.store).backupNames("from")).hasSize(1);
  }

  private byte[] restored(String name, Backup backup) throws Exception {
    make(name, SIZE, spec -> spec.withFromBackup(backup.status().url()));
    Awaiting.until(store, Volume.KIND, name, Volume::isBeingCopied);
    open(name, false);
    Awaiting.until(
        store, Volume.KIND, name, v -> v.status().restore().state() == CloneState.COMPLETED);
    close(name);
    open(name, true);
    return content(name);
  }

  @Test
  void backupThatANodeBeganIsCompletedByItsNextLife() throws Exception {
    for (int i = 0; i < 8; i++) {
      write("from", (long) i * 2 * BLOCK, i + 1);
    }
    byte[] expected = content("from");
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    targets.plan =
        (call, key) -> {
          if (call == FaultyObjectStore.Call.PUT && key.endsWith(".blk") && hasBlocks(4)) {
            reached.countDown();
            awaitInterrupted(never);
          }
        };
    request("backup-1");
    assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();
    node.close();
    int sent = blocks().size();
    targets.plan = (call, key) -> {};
    live();
    Backup backup = completed("backup-1");

    assertThat(sent).isBetween(1, 7);
    assertThat(blocks()).hasSize(8);
    assertThat(backup.status().newlyUploadedDataSize().bytes()).isPositive();
    assertThat(restored("copy", backup)).isEqualTo(expected);
    never.countDown();
  }

  private boolean hasBlocks(int most) {
    try {
      return blocks().size() >= most;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitInterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void backupOfASnapshotThatIsAbsentFailsPermanently() throws Exception {
    store.create(
        Backup.of("backup-1", BackupSpec.EMPTY.withVolume("from").withSnapshotName("absent")));
    Backup failed =
        Awaiting.until(
            store, Backup.KIND, "backup-1", b -> b.status().state() == BackupState.ERROR);

    assertThat(failed.isFinal()).isTrue();
    assertThat(failed.status().error()).contains("no snapshot resource absent");
    assertThat(store.list(Snapshot.KIND, LabelSelector.ALL).items()).isEmpty();
  }
}
