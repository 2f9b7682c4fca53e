package dev.holdfast.backup.internal.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.system.SystemBackupFile;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.backup.SystemRestore;
import dev.holdfast.resource.backup.SystemRestoreSpec;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Single items that are restored more than once after an interrupted attempt. */
class ItemRestoreTest {
  private static final String URL = "file:///backups";

  @Test
  void settingThatAUserChangedAfterItWasRestoredStays() throws StorageException {
    try (MemoryResourceStore store = new MemoryResourceStore()) {
      store.create(Setting.of(SystemLab.SETTING, new SettingSpec("")));
      SystemRestore restore =
          store.create(
              SystemRestore.of("again", SystemRestoreSpec.EMPTY.withSystemBackup("weekly")));
      ItemRestore items =
          new ItemRestore(
              restore,
              new SystemBackupFile("weekly", "uid", Instant.EPOCH, 1, "", 1, 0, URL),
              BackupTarget.of("default", BackupTargetSpec.EMPTY.withBackupTargetURL(URL)),
              new RestoringCluster(store, KindCatalogue.load(), WorkloadItems.NONE));
      ResourceJson json = new ResourceJson();
      String saved = json.write(json.tree(Setting.of(SystemLab.SETTING, new SettingSpec("true"))));

      items.restore("settings/one.json", saved);
      Setting restored = store.get(Setting.KIND, SystemLab.SETTING).orElseThrow();
      assertThat(restored.spec().value()).isEqualTo("true");
      store.update(restored.withSpec(new SettingSpec("false")));
      assertThat(items.restore("settings/one.json", saved).result())
          .isEqualTo(ItemOutcome.Result.RESTORED);

      assertThat(store.get(Setting.KIND, SystemLab.SETTING).orElseThrow().spec().value())
          .isEqualTo("false");
    }
  }
}
