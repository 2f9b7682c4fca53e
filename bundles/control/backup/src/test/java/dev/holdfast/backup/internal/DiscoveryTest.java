package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.testkit.FaultyObjectStore.Call;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupVolume;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Backups of another cluster get resources in this one, which are removed with the backups at the
 * target.
 */
class DiscoveryTest {
  private DiscoveryLab lab;

  @BeforeEach
  void start() throws Exception {
    lab = new DiscoveryLab(1, Faults.NONE);
  }

  private List<String> objects() throws StorageException {
    List<String> keys = new ArrayList<>();
    lab.targets.store.list("", "", object -> keys.add(object.key()));
    return keys;
  }

  @Test
  void requestedScanShowsWhatTheTargetHas() throws Exception {
    lab.other.backUp("data", "first");
    lab.other.backUp("data", "second");
    lab.other.begin("data", "third");
    lab.scan();

    assertThat(lab.names()).containsExactly("first", "second");
    Backup found = lab.store.get(Backup.KIND, "second").orElseThrow();
    assertThat(found.isDiscovered()).isTrue();
    assertThat(found.metadata().finalizers()).isEmpty();
    assertThat(found.spec().volume()).isEqualTo("data");
    assertThat(found.spec().labels()).isEqualTo(Map.of("app", "db"));
    assertThat(found.status().url()).isEqualTo("mem://target?backup=second&volume=data");
    assertThat(found.status().volumeSize()).isEqualTo(Quantity.parse("8Mi"));
    assertThat(found.status().snapshotCreatedAt()).contains(Instant.parse("2026-11-20T23:22:58Z"));
    BackupVolume volume = lab.volumes().get(0);
    assertThat(volume.name()).isEqualTo(BackupVolume.nameFor("default", "data"));
    assertThat(volume.status().lastBackupName()).isEqualTo("");
    assertThat(volume.status().backups()).isEqualTo(2);
    assertThat(volume.status().size()).isEqualTo(Quantity.parse("8Mi"));
  }

  @Test
  void backupsDisappearWithThoseOfTheTarget() throws Exception {
    lab.other.backUp("data", "first");
    lab.other.backUp("data", "second");
    lab.other.backUp("logs", "other");
    lab.scan();
    lab.other.delete("data", "first");
    lab.other.deleteVolume("logs");
    lab.scan();
    lab.simulation.run(Duration.ofMinutes(1));

    assertThat(lab.names()).containsExactly("second");
    assertThat(lab.volumes()).extracting(v -> v.spec().volumeName()).containsExactly("data");
  }

  @Test
  void targetIsScannedByItsPollIntervalAndOtherwiseOnRequestOnly() throws Exception {
    lab.other.backUp("data", "first");
    lab.simulation.run(Duration.ofHours(2));
    assertThat(lab.backups()).isEmpty();

    lab.edit(spec -> spec.withPollInterval(300));
    lab.simulation.runUntil(
        "the backup appears", Duration.ofMinutes(1), store -> lab.names().contains("first"));
    lab.other.backUp("data", "second");
    lab.simulation.runUntil(
        "the next one appears", Duration.ofMinutes(6), store -> lab.names().contains("second"));
  }

  @Test
  void targetThatIsAwayKeepsItsListAndSaysSo() throws Exception {
    lab.other.backUp("data", "first");
    lab.scan();
    lab.targets.plan = DiscoveryLab.away();
    lab.edit(spec -> spec.withPollInterval(30));
    lab.simulation.runUntil(
        "the target says so", DiscoveryLab.LIMIT, store -> !lab.target().syncObstacle().isEmpty());

    assertThat(lab.target().syncObstacle()).contains("the target does not answer");
    assertThat(lab.names()).containsExactly("first");
    lab.targets.plan = (call, key) -> {};
    lab.simulation.runUntil(
        "it is scanned again", DiscoveryLab.LIMIT, store -> lab.target().syncObstacle().isEmpty());
  }

  @Test
  void listThatLacksObjectsRemovesNothing() throws Exception {
    lab.other.backUp("data", "first");
    lab.other.backUp("logs", "other");
    lab.scan();
    lab.targets.hidden = key -> key.contains("/backups/") || key.contains("/logs/");
    lab.scan();

    assertThat(lab.names()).containsExactly("first", "other");
    assertThat(lab.volumes()).hasSize(2);
  }

  @Test
  void unchangedTargetIsScannedByFewRequests() throws Exception {
    for (int volume = 0; volume < 3; volume++) {
      for (int backup = 0; backup < 20; backup++) {
        lab.other.backUp("volume-" + volume, "backup-" + volume + "-" + backup);
      }
    }
    Map<Call, Integer> first = lab.counted();
    lab.scan();
    assertThat(lab.names()).hasSize(60);
    assertThat(first.get(Call.GET)).as("one for each configuration").isEqualTo(63);

    Map<Call, Integer> second = lab.counted();
    lab.scan();
    assertThat(second)
        .as(
            "for each volume: its folder, its layout, volume.cfg and the list of its backups; one"
                + " more list for each layout")
        .isEqualTo(Map.of(Call.LIST, 2 * 3 + 2, Call.STAT, 4 * 3, Call.GET, 3));
  }

  @Test
  void removedTargetTakesItsListAlongAndKeepsItsObjects() throws Exception {
    lab.other.backUp("data", "first");
    lab.scan();
    List<String> before = objects();
    lab.store.delete(BackupTarget.KIND, "default", "");
    lab.simulation.runUntil(
        "its list is gone",
        DiscoveryLab.LIMIT,
        store -> lab.backups().isEmpty() && lab.volumes().isEmpty());
    assertThat(objects()).isEqualTo(before);
  }

  @Test
  void deletedCacheEntryComesBack() throws Exception {
    lab.other.backUp("data", "first");
    lab.scan();
    lab.store.delete(Backup.KIND, "first", "");
    lab.scan();
    assertThat(lab.names()).containsExactly("first");
  }

  @Test
  void otherBackupUnderTheSameNameReplacesTheShownOne() throws Exception {
    lab.other.backUp("data", "first", "db");
    lab.scan();
    lab.other.backUp("data", "first", "web");
    lab.scan();
    assertThat(lab.store.get(Backup.KIND, "first").orElseThrow().spec().labels())
        .isEqualTo(Map.of("app", "web"));
    assertThat(lab.names()).containsExactly("first");
  }

  @Test
  void namesThatAreTakenOrNotPossibleGetAnotherOne() throws Exception {
    lab.other.backUp("data", "first");
    lab.other.backUp("logs", "first");
    lab.other.backUp("logs", "Second_One");
    lab.scan();

    assertThat(lab.backups())
        .extracting(backup -> backup.spec().volume() + "/" + backup.nameAtTarget())
        .containsExactlyInAnyOrder("data/first", "logs/first", "logs/Second_One");
    assertThat(lab.backups())
        .filteredOn(backup -> backup.nameAtTarget().equals("Second_One"))
        .allSatisfy(
            backup -> {
              assertThat(backup.name()).matches("second-one-[0-9a-f]{8}");
              assertThat(backup.status().url())
                  .isEqualTo("mem://target?backup=Second_One&volume=logs");
            });
    lab.scan();
    assertThat(lab.backups()).hasSize(3);
  }

  @Test
  void damagedConfigurationIsNamedBesideTheOthers() throws Exception {
    lab.other.backUp("data", "first");
    lab.other.backUp("data", "second");
    lab.scan();
    lab.other.put(ForeignCluster.config("data", "first"), "{\"Name\":\"other\"}");
    lab.other.put(ForeignCluster.folder("logs") + "volume.cfg", "[]");
    lab.scan();

    assertThat(lab.names()).containsExactly("first", "second");
    assertThat(lab.volumes())
        .extracting(BackupVolume::syncObstacle)
        .anySatisfy(text -> assertThat(text).contains("data/first").contains("damaged"))
        .anySatisfy(text -> assertThat(text).contains("volume logs").contains("damaged"));
  }

  @Test
  void ownBackupThatVanishedSaysSoUntilItIsThereAgain() throws Exception {
    lab.other.backUp("data", "own");
    Backup own = lab.store.create(Backup.of("own", BackupSpec.EMPTY.withVolume("data")));
    lab.store.updateStatus(
        own.withStatus(
            own.status()
                .withState(BackupState.COMPLETED)
                .withUrl("mem://target?backup=own&volume=data")));
    lab.scan();
    assertThat(lab.store.get(Backup.KIND, "own").orElseThrow().isDiscovered()).isFalse();

    lab.other.delete("data", "own");
    lab.scan();
    Backup lost = lab.store.get(Backup.KIND, "own").orElseThrow();
    assertThat(lost.status().state()).isEqualTo(BackupState.ERROR);
    assertThat(lost.status().error()).isEqualTo("backup target default does not have it any more");
    assertThat(lost.isFinal()).isTrue();

    lab.other.backUp("data", "own");
    lab.scan();
    assertThat(lab.names()).containsExactly("own");
  }

  @Test
  void deletionOnDemandDeletesAtTheTarget() throws Exception {
    lab.other.backUp("data", "first");
    lab.other.backUp("data", "second");
    lab.other.backUp("logs", "other");
    lab.scan();
    Backup first = lab.store.get(Backup.KIND, "first").orElseThrow();
    lab.store.update(first.withMetadata(first.metadata().plusFinalizer(Backup.FINALIZER)));
    lab.store.delete(Backup.KIND, "first", "");
    BackupVolume logs =
        lab.store.get(BackupVolume.KIND, BackupVolume.nameFor("default", "logs")).orElseThrow();
    lab.store.update(logs.withMetadata(logs.metadata().plusFinalizer(Backup.FINALIZER)));
    lab.store.delete(BackupVolume.KIND, logs.name(), "");
    lab.simulation.runUntil(
        "they are gone", DiscoveryLab.LIMIT, store -> lab.names().equals(List.of("second")));
    lab.scan();

    assertThat(objects())
        .containsExactlyInAnyOrder(
            ForeignCluster.config("data", "second"), ForeignCluster.folder("data") + "volume.cfg");
    assertThat(lab.volumes()).extracting(v -> v.spec().volumeName()).containsExactly("data");
  }

  @Test
  void volumesWithImpossibleNamesAreCountedInTheTarget() throws Exception {
    lab.other.backUp("UPPER", "first");
    lab.scan();
    assertThat(lab.volumes()).isEmpty();
    assertThat(lab.target().status().conditions())
        .anySatisfy(condition -> assertThat(condition.message()).contains("UPPER"));
  }

  @Test
  void targetOfAnotherAddressHasAnotherList() throws Exception {
    lab.other.backUp("data", "first");
    lab.scan();
    lab.edit(spec -> spec.withBackupTargetURL(MemoryTargets.EMPTY_URL));
    lab.scan();
    lab.simulation.run(Duration.ofMinutes(1));
    assertThat(lab.backups()).isEmpty();
    assertThat(lab.volumes()).isEmpty();
    assertThat(objects()).hasSize(2);
  }
}
