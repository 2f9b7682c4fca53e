package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Volumes are backed up, restored and deleted at a target with the packed layout. */
@Tag("slow")
class PackedTargetTest extends BackupLab {
  private static final int CHUNK = 64 << 10;

  private final List<String> trash = new ArrayList<>();

  private List<String> packs() throws StorageException {
    List<String> keys = new ArrayList<>();
    targets.store.list("holdfast/v1/volumes/from/packs/", "", object -> keys.add(object.key()));
    return keys;
  }

  private void choose(String layout) throws StorageException {
    BackupTarget target = store.get(BackupTarget.KIND, BackupTarget.DEFAULT_NAME).orElseThrow();
    store.update(target.withSpec(target.spec().withLayout(layout)));
  }

  @Test
  void incrementalBackupIsRestoredAndDeleted() throws Exception {
    choose("packed");
    write("from", 0, 7);
    write("from", 20 << 20, 8);
    write("from", 31 << 20, 9);
    byte[] first = content("from");
    request("backup-1");
    Backup whole = completed("backup-1");
    assertThat(whole.status().readDataSize().bytes()).isEqualTo(3L * CHUNK);

    // The volume stays in the layout of its first backup.
    choose("longhorn");
    write("from", (20 << 20) + 8192, 5);
    byte[] second = content("from");
    request("backup-2");
    Backup increment = completed("backup-2");
    assertThat(increment.status().baseReason()).isEmpty();
    assertThat(increment.status().base()).isEqualTo("backup-1");
    assertThat(increment.status().readDataSize().bytes()).isEqualTo(CHUNK);
    assertThat(packs()).hasSize(2);

    assertThat(restored("copy-1", whole)).isEqualTo(first);
    assertThat(restored("copy-2", increment)).isEqualTo(second);

    store.delete(Backup.KIND, "backup-2", "");
    Awaiting.untilGone(store, Backup.KIND, "backup-2");
    assertThat(packs()).as("the trash keeps the pack for the grace time").hasSize(2);
    targets.store.list("holdfast/v1/volumes/from/trash/", "", object -> trash.add(object.key()));
    assertThat(trash).hasSize(1);
    assertThat(restored("copy-3", whole)).isEqualTo(first);
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
}
