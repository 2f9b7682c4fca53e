package dev.holdfast.backup.internal.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backup.internal.MemoryTargets;
import dev.holdfast.backupstore.system.SystemArchives;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.RestoredKind;
import dev.holdfast.resource.backup.RestoredVolumes;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemBackupSpec;
import dev.holdfast.resource.backup.SystemBackupState;
import dev.holdfast.resource.backup.SystemRestore;
import dev.holdfast.resource.backup.SystemRestoreSpec;
import dev.holdfast.resource.backup.SystemRestoreState;
import dev.holdfast.resource.backup.VolumeBackupPolicy;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.LabelSelector;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A cluster is saved, and restored into a cluster that reaches the target by another address. */
class SystemBackupTest {
  private static final String OTHER_URL = "mem://moved";

  private final MemoryTargets targets = new MemoryTargets();
  private SystemLab first;

  @BeforeEach
  void start() throws StorageException {
    first = new SystemLab(1, targets, BackupTarget.DEFAULT_NAME, MemoryTargets.URL, Faults.NONE);
    first.fill();
  }

  private SystemLab other() throws StorageException {
    return new SystemLab(2, targets, "moved", OTHER_URL, Faults.NONE);
  }

  private static SystemRestoreSpec fromMoved() {
    return SystemRestoreSpec.EMPTY.withBackupTargetName("moved");
  }

  private static Map<String, RestoredKind> counts(SystemRestore restore) {
    return restore.status().kinds().stream()
        .collect(Collectors.toMap(RestoredKind::kind, Function.identity()));
  }

  @Test
  void systemIsRestoredInAnEmptyCluster() throws StorageException {
    first.backUp("weekly", VolumeBackupPolicy.DISABLED);
    SystemBackup saved = first.ready("weekly");
    assertThat(saved.status().volumes()).isEqualTo(2);
    assertThat(saved.status().failures())
        .satisfiesExactlyInAnyOrder(
            why -> assertThat(why).contains("image own", "it has none at target default"),
            why -> assertThat(why).contains("volume three"));

    SystemLab other = other();
    other.restore("again", fromMoved().withRestoreMode(RestoreMode.LAZY));
    SystemRestore restored = other.restored("again");
    assertThat(counts(restored))
        .containsEntry("Setting", new RestoredKind("Setting", 1, 0, 0, 0))
        .containsEntry("RecurringJob", new RestoredKind("RecurringJob", 1, 0, 0, 0))
        .containsEntry("BackingImage", new RestoredKind("BackingImage", 1, 0, 0, 1))
        .containsEntry("Volume", new RestoredKind("Volume", 2, 0, 0, 1))
        .containsEntry("BackupTarget", new RestoredKind("BackupTarget", 1, 0, 0, 0));
    assertThat(restored.status().failures())
        .anySatisfy(why -> assertThat(why).contains("BackingImage own", "not in the backup"))
        .anySatisfy(why -> assertThat(why).contains("Volume three", "names no backup"));

    VolumeSpec one = other.store.get(Volume.KIND, "one").orElseThrow().spec();
    assertThat(one.fromBackup()).isEqualTo(OTHER_URL + "?backup=one-new&volume=one");
    assertThat(one.restoreMode()).isEqualTo(RestoreMode.LAZY);
    assertThat(one.nodeID()).isEmpty();
    assertThat(one.backingImage()).isEmpty();
    Volume two = other.store.get(Volume.KIND, "two").orElseThrow();
    assertThat(two.spec().numberOfReplicas()).isEqualTo(2);
    assertThat(two.metadata().labels()).containsEntry("app", "two");
    assertThat(other.store.get(BackingImage.KIND, "debian")).isPresent();
    assertThat(other.store.get(Setting.KIND, SystemLab.SETTING).orElseThrow().spec().value())
        .isEqualTo("true");
  }

  @Test
  void repeatedRestoreChangesNothingAndKeepsWhatIsThere() throws StorageException {
    first.backUp("weekly", VolumeBackupPolicy.DISABLED);
    first.ready("weekly");
    SystemLab other = other();
    other.store.create(Setting.of(SystemLab.SETTING, new SettingSpec("false")));
    Volume own = Volume.of("two", VolumeSpec.EMPTY.withSize(first.volumes().get(0).spec().size()));
    other.store.create(own);
    other.restore("again", fromMoved());
    assertThat(counts(other.restored("again")).get("Volume"))
        .isEqualTo(new RestoredKind("Volume", 1, 1, 0, 1));
    assertThat(other.store.get(Volume.KIND, "two").orElseThrow().spec().fromBackup()).isEmpty();
    assertThat(other.store.get(Setting.KIND, SystemLab.SETTING).orElseThrow().spec().value())
        .isEqualTo("true");
    Map<String, String> specs = other.specs();

    other.restore("repeated", fromMoved());
    assertThat(counts(other.restored("repeated")).get("Volume"))
        .isEqualTo(new RestoredKind("Volume", 0, 2, 0, 1));
    assertThat(other.specs()).isEqualTo(specs);
  }

  @Test
  void volumesAreLeftOutOnRequest() throws StorageException {
    first.backUp("weekly", VolumeBackupPolicy.DISABLED);
    first.ready("weekly");
    SystemLab other = other();
    other.restore("again", fromMoved().withVolumes(RestoredVolumes.NONE));
    assertThat(counts(other.restored("again")).get("Volume"))
        .isEqualTo(new RestoredKind("Volume", 0, 0, 3, 0));
    assertThat(other.volumes()).isEmpty();
  }

  @Test
  void volumeWithoutBackupIsBackedUpFirst() throws StorageException {
    first.backUp("weekly", VolumeBackupPolicy.IF_NOT_PRESENT);
    first.simulation.runUntil(
        "backups are asked for", SystemLab.LIMIT, store -> !first.madeImages().isEmpty());
    assertThat(first.made()).singleElement().extracting(b -> b.spec().volume()).isEqualTo("three");
    first.complete(first.madeImages().get(0), "content of own");
    first.simulation.run(Duration.ofMinutes(5));
    assertThat(first.backup("weekly").orElseThrow().status().state())
        .isEqualTo(SystemBackupState.VOLUME_BACKUPS);
    first.complete(first.made().get(0), 1);
    SystemBackup saved = first.ready("weekly");
    assertThat(saved.status().volumes()).isEqualTo(3);
    assertThat(saved.status().failures()).isEmpty();

    first.backUp("all", VolumeBackupPolicy.ALWAYS);
    first.simulation.runUntil(
        "backups of all volumes are asked for", SystemLab.LIMIT, store -> first.made().size() == 4);
  }

  @Test
  void imageWithBytesOfItsOwnIsBackedUpFirstAndRestoredFromThere() throws StorageException {
    first.backUp("weekly", VolumeBackupPolicy.IF_NOT_PRESENT);
    first.simulation.runUntil(
        "backups are asked for", SystemLab.LIMIT, store -> !first.madeImages().isEmpty());
    assertThat(first.madeImages())
        .singleElement()
        .extracting(backup -> backup.spec().backingImage())
        .as("debian can be downloaded again")
        .isEqualTo("own");
    first.complete(first.made().get(0), 1);
    first.simulation.run(Duration.ofMinutes(5));
    assertThat(first.backup("weekly").orElseThrow().status().state())
        .isEqualTo(SystemBackupState.VOLUME_BACKUPS);
    first.complete(first.madeImages().get(0), "content of own");
    assertThat(first.ready("weekly").status().failures()).isEmpty();

    SystemLab other = other();
    other.restore("again", fromMoved());
    assertThat(counts(other.restored("again")).get("BackingImage"))
        .isEqualTo(new RestoredKind("BackingImage", 2, 0, 0, 0));
    BackingImageSpec own = other.store.get(BackingImage.KIND, "own").orElseThrow().spec();
    assertThat(own.sourceType()).isEqualTo(BackupBackingImage.SOURCE_TYPE);
    assertThat(own.sourceParameters())
        .containsEntry(BackupBackingImage.URL_PARAMETER, OTHER_URL + "?backingImage=own");
    assertThat(own.checksum()).isEqualTo(SystemLab.CHECKSUM);
    assertThat(other.store.list(BackupBackingImage.KIND, LabelSelector.ALL).items())
        .as("backups are found by scans and not restored")
        .isEmpty();
  }

  @Test
  void backupOfAnotherImageOfTheSameNameDoesNotCount() throws StorageException {
    BackupBackingImage present =
        first.store.create(BackupBackingImage.of(BackupTarget.DEFAULT_NAME, "own"));
    first.complete(present, "other content");
    first.backUp("weekly", VolumeBackupPolicy.IF_NOT_PRESENT);
    first.simulation.runUntil(
        "a backup is asked for", SystemLab.LIMIT, store -> !first.made().isEmpty());
    first.complete(first.made().get(0), 1);
    assertThat(first.ready("weekly").status().failures())
        .singleElement()
        .asString()
        .contains("image own", "has another image of this name");
  }

  @Test
  void otherClusterShowsAndDeletesSystemBackups() throws StorageException {
    first.backUp("weekly", VolumeBackupPolicy.DISABLED);
    SystemBackup saved = first.ready("weekly");
    SystemLab other = other();
    scanned(other, 1);
    other.simulation.runUntil(
        "it is shown",
        SystemLab.LIMIT,
        store -> other.backup("weekly").filter(SystemBackup::isDiscovered).isPresent());
    SystemBackup shown = other.ready("weekly");
    assertThat(shown.status().checksum()).isEqualTo(saved.status().checksum());

    other.store.delete(SystemBackup.KIND, "weekly", "");
    other.simulation.run(Duration.ofMinutes(1));
    assertThat(new SystemArchives(targets.store).names())
        .as("the deletion of a cache entry deletes nothing")
        .containsExactly("weekly");
    first.store.delete(SystemBackup.KIND, "weekly", "");
    first.simulation.runUntil(
        "it is deleted", SystemLab.LIMIT, store -> first.backup("weekly").isEmpty());
    assertThat(keys()).isEmpty();
  }

  @Test
  void entryOfSystemBackupThatVanishedGoesAfterTheNextScan() throws StorageException {
    first.backUp("weekly", VolumeBackupPolicy.DISABLED);
    first.ready("weekly");
    SystemLab other = other();
    scanned(other, 1);
    other.ready("weekly");
    targets.plan =
        (call, key) -> {
          throw new StorageException(ErrorCode.UNREACHABLE, "away");
        };
    scanned(other, 2);
    other.simulation.run(Duration.ofMinutes(1));
    assertThat(other.backup("weekly")).as("a failed list removes nothing").isPresent();
    targets.plan = (call, key) -> {};
    new SystemArchives(targets.store).delete("weekly", "");
    scanned(other, 3);
    other.simulation.runUntil(
        "its entry is gone", SystemLab.LIMIT, store -> other.backup("weekly").isEmpty());
  }

  /** Records scans of a target, as the scanner does. */
  private static void scanned(SystemLab lab, long scans) throws StorageException {
    BackupTarget target = lab.store.get(BackupTarget.KIND, "moved").orElseThrow();
    lab.store.updateStatus(target.withStatus(target.status().withScans(scans)));
  }

  private List<String> keys() throws StorageException {
    List<String> keys = new ArrayList<>();
    targets.store.list("", "", object -> keys.add(object.key()));
    return keys;
  }

  @Test
  void damagedArchiveRestoresNothingAndSaysWhy() throws StorageException {
    first.backUp("weekly", VolumeBackupPolicy.DISABLED);
    first.ready("weekly");
    String archive = keys().stream().filter(key -> key.endsWith(".zip")).findAny().orElseThrow();
    ByteBuffer bytes = ByteBuffer.allocate((int) targets.store.stat(archive).orElseThrow().size());
    targets.store.get(archive, 0, bytes);
    bytes.put(40, (byte) ~bytes.get(40));
    targets.store.put(archive, List.of(bytes.flip()), PutOptions.REPLACE);
    SystemLab other = other();
    other.restore("again", fromMoved());
    other.simulation.runUntil(
        "it fails",
        SystemLab.LIMIT,
        store -> other.restore("again").status().state() == SystemRestoreState.ERROR);
    assertThat(other.restore("again").status().error()).contains("another checksum");
    assertThat(other.specs()).isEmpty();
  }

  @Test
  void onlySelectedVolumesAreSavedAndRestoredWithTheObjectsOfTheOrchestrator()
      throws StorageException {
    first.objects.volumes.putAll(Map.of("pv-1", "one", "pv-2", "two", "pv-3", "three"));
    first.backUp(
        "weekly",
        SystemBackupSpec.EMPTY
            .withVolumeBackupPolicy(VolumeBackupPolicy.DISABLED)
            .withVolumeSelector(Map.of("app", "two")));
    assertThat(first.ready("weekly").status().failures()).noneMatch(why -> why.contains("volume"));
    first.backUp("all", VolumeBackupPolicy.DISABLED);
    first.ready("all");

    SystemLab other = other();
    other.restore("again", fromMoved());
    assertThat(counts(other.restored("again")))
        .containsEntry("Volume", new RestoredKind("Volume", 1, 0, 0, 0))
        .containsEntry("PersistentVolume", new RestoredKind("PersistentVolume", 1, 0, 0, 0));
    assertThat(other.volumes()).extracting(Volume::name).containsExactly("two");
    assertThat(other.objects.volumes).containsExactly(Map.entry("pv-2", "two"));

    other.store.create(
        SystemRestore.of(
            "one", fromMoved().withSystemBackup("all").withVolumeSelector(Map.of("app", "one"))));
    SystemRestore one = other.restored("one");
    assertThat(counts(one))
        .containsEntry("Volume", new RestoredKind("Volume", 1, 0, 2, 0))
        .containsEntry("PersistentVolume", new RestoredKind("PersistentVolume", 1, 1, 0, 1));
    assertThat(one.status().failures())
        .anySatisfy(why -> assertThat(why).contains("pv-3", "volume three is not restored"));
    assertThat(other.objects.volumes).hasSize(2);
  }
}
