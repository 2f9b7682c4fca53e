package dev.holdfast.backup.internal.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backup.internal.MemoryTargets;
import dev.holdfast.backupstore.system.SystemArchives;
import dev.holdfast.backupstore.system.SystemBackupFile;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemRestore;
import dev.holdfast.resource.backup.SystemRestoreSpec;
import dev.holdfast.resource.backup.VolumeBackupPolicy;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Histories of clusters that are saved, lost and restored while nodes die and calls fail, and
 * planted defects that must be found.
 */
class SystemHistoryTest {
  private static final RecurringJobSpec NEWER =
      RecurringJobSpec.EMPTY.withTask("backup").withCron("0 5 * * *").withRetain(9);

  private static final String OF_SETTING = Setting.KIND.kind() + " " + SystemLab.SETTING;

  private static Map<String, String> expected;

  private static void play(
      long seed, VolumeBackupChoice.Factory choices, ItemRestore.Factory restorer)
      throws StorageException {
    MemoryTargets targets = new MemoryTargets();
    SystemLab lab =
        new SystemLab(
            seed,
            targets,
            BackupTarget.DEFAULT_NAME,
            MemoryTargets.URL,
            Faults.ALL,
            choices,
            restorer);
    save(lab, targets);
    lab.lose();
    lab.store.create(RecurringJob.of("nightly", NEWER));
    lab.failSome(targets);
    lab.restore("again", SystemRestoreSpec.EMPTY);
    lab.simulation.run(Duration.ofSeconds(1 + lab.simulation.random().nextInt(60)));
    boolean changed = changeRestoredSetting(lab);
    lab.simulation.run(Duration.ofMinutes(3));
    targets.plan = (call, key) -> {};
    lab.simulation.calm();
    SystemRestore restored = lab.restored("again");
    assertThat(restored.status().failures()).as("failures of the restore").isEmpty();
    Map<String, String> found = comparable(lab);
    assertThat(found).as("what is restored").isEqualTo(expected());
    assertThat(
            lab.store.get(Setting.KIND, SystemLab.SETTING).map(setting -> setting.spec().value()))
        .as("what is restored of the setting, which a user %s", changed ? "changed" : "left")
        .contains(changed ? "false" : "true");
    assertThat(new SystemArchives(targets.store).names()).containsExactly("weekly");
  }

  /** Makes a system backup, with the backups of a volume and an image that it requests. */
  private static void save(SystemLab lab, MemoryTargets targets) throws StorageException {
    lab.failSome(targets);
    lab.fill();
    lab.backUp("weekly", VolumeBackupPolicy.IF_NOT_PRESENT);
    lab.simulation.runUntil(
        "backups are asked for",
        SystemLab.LIMIT,
        store -> !lab.made().isEmpty() && !lab.madeImages().isEmpty());
    lab.complete(lab.made().get(0), 1);
    lab.complete(lab.madeImages().get(0), "content of own");
    lab.simulation.run(Duration.ofMinutes(3));
    targets.plan = (call, key) -> {};
    assertThat(lab.made()).as("backups of volume three, made for the system backup").hasSize(1);
    assertThat(lab.ready("weekly").status().failures()).as("failures of the backup").isEmpty();
  }

  /** Changes a restored setting, as a user does. */
  private static boolean changeRestoredSetting(SystemLab lab) throws StorageException {
    Optional<Setting> setting =
        lab.store
            .get(Setting.KIND, SystemLab.SETTING)
            .filter(found -> found.metadata().annotations().containsKey(SystemRestore.ANNOTATION));
    if (setting.isPresent()) {
      lab.store.update(setting.get().withSpec(new SettingSpec("false")));
    }
    return setting.isPresent();
  }

  /** Returns the specs without the setting, and without names that are derived from a uid. */
  private static Map<String, String> comparable(SystemLab lab) throws StorageException {
    Map<String, String> specs = lab.specs();
    specs.remove(OF_SETTING);
    specs.replaceAll(
        (name, spec) -> spec.replaceFirst("backup=[a-z0-9-]+&volume=three", "its only backup"));
    return specs;
  }

  /** Returns the result of a history without faults. */
  private static synchronized Map<String, String> expected() throws StorageException {
    if (expected == null) {
      MemoryTargets targets = new MemoryTargets();
      SystemLab lab =
          new SystemLab(1, targets, BackupTarget.DEFAULT_NAME, MemoryTargets.URL, Faults.NONE);
      lab.fill();
      Map<String, String> specs = comparable(lab);
      lab.backUp("weekly", VolumeBackupPolicy.IF_NOT_PRESENT);
      lab.simulation.runUntil(
          "backups are asked for", SystemLab.LIMIT, store -> !lab.madeImages().isEmpty());
      lab.complete(lab.made().get(0), 1);
      lab.complete(lab.madeImages().get(0), "content of own");
      lab.ready("weekly");
      lab.lose();
      lab.store.create(RecurringJob.of("nightly", NEWER));
      lab.restore("again", SystemRestoreSpec.EMPTY);
      lab.restored("again");
      Map<String, String> restored = comparable(lab);
      assertThat(restored.keySet()).isEqualTo(specs.keySet());
      assertThat(restored.get("RecurringJob nightly")).startsWith(NEWER.toString());
      expected = restored;
    }
    return expected;
  }

  @Test
  void restoreHasTheSameResultWhateverHappens() throws Exception {
    Histories.play(40, seed -> play(seed, VolumeBackupChoice::new, ItemRestore::new));
  }

  @Test
  @Tag("soak")
  void restoreHasTheSameResultInManyHistories() throws Exception {
    Histories.play(10_000, seed -> play(seed, VolumeBackupChoice::new, ItemRestore::new));
  }

  /** Treats an item whose write failed as restored. */
  private static final class LosesItems extends ItemRestore {
    LosesItems(
        SystemRestore restore,
        SystemBackupFile file,
        BackupTarget target,
        RestoringCluster cluster) {
      super(restore, file, target, cluster);
    }

    @Override
    <R extends Resource<R>> ItemOutcome created(R resource) throws StorageException {
      try {
        return super.created(resource);
      } catch (StorageException e) {
        return ItemOutcome.of(resource.resourceKind().kind(), ItemOutcome.Result.RESTORED);
      }
    }
  }

  @Test
  void findsARestoreThatLosesAnItem() throws Exception {
    assertThat(
            Histories.firstFailure(
                60, seed -> play(seed, VolumeBackupChoice::new, LosesItems::new)))
        .hasMessageContaining("what is restored");
  }

  /** Replaces existing resources. */
  private static final class Replaces extends ItemRestore {
    private final ResourceStore store;

    Replaces(
        SystemRestore restore,
        SystemBackupFile file,
        BackupTarget target,
        RestoringCluster cluster) {
      super(restore, file, target, cluster);
      this.store = cluster.store();
    }

    @Override
    <R extends Resource<R>> ItemOutcome created(R resource) throws StorageException {
      Optional<R> present = store.get(resource.resourceKind(), resource.name());
      if (present.isPresent()) {
        store.update(present.get().withSpecOf(resource));
      }
      return super.created(resource);
    }
  }

  @Test
  void findsARestoreThatReplacesANewerItem() throws Exception {
    assertThat(
            Histories.firstFailure(10, seed -> play(seed, VolumeBackupChoice::new, Replaces::new)))
        .hasMessageContaining("what is restored");
  }

  /** Uses new names for the requested backups in each attempt. */
  private static final class NamesAnew extends VolumeBackupChoice {
    private static final AtomicInteger COUNTER = new AtomicInteger();

    NamesAnew(SystemBackup system, List<Backup> backups) {
      super(system, backups);
    }

    @Override
    String nameFor(Volume volume) {
      return "made-" + COUNTER.incrementAndGet();
    }
  }

  @Test
  void findsASystemBackupWhoseSecondAttemptDuplicates() throws Exception {
    assertThat(Histories.firstFailure(60, seed -> play(seed, NamesAnew::new, ItemRestore::new)))
        .hasMessageContaining("made for the system backup");
  }
}
