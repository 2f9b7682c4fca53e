package dev.holdfast.recurring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupMode;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.restore.StandbyState;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs over a store. The test acts as the other controllers. */
class RecurringJobReconcilerTest {
  private final JobLab lab = new JobLab();

  @AfterEach
  void close() {
    lab.close();
  }

  private List<String> backups() throws Exception {
    return lab.backups().stream().map(Backup::name).toList();
  }

  private List<String> snapshots() throws Exception {
    return lab.snapshots().stream().map(Snapshot::nameInVolume).toList();
  }

  private static String name(String time, String volume) {
    return RunNames.of(RecurringJob.of(JobLab.JOB, JobLab.SPEC), Instant.parse(time), volume);
  }

  @Test
  void runMakesOneBackupForEachSelectedVolume() throws Exception {
    lab.job(spec -> spec.withLabels(Map.of("team", "db")));
    lab.volume("va", Map.of());
    lab.volume("vb", Map.of(RecurringJob.jobLabel(JobLab.JOB), "enabled"));
    lab.volume("vc", Map.of(RecurringJob.groupLabel("other"), "enabled"));
    lab.settle();
    assertThat(backups()).isEmpty();
    assertThat(lab.job().status().nextScheduledAt())
        .contains(Instant.parse("2026-11-21T03:00:00Z"));

    lab.clock.set("2026-11-21T03:00:02Z");
    lab.settle();
    assertThat(backups())
        .containsExactlyInAnyOrder(
            name("2026-11-21T03:00:00Z", "va"), name("2026-11-21T03:00:00Z", "vb"));
    assertThat(backups().get(0)).startsWith("nightly-202611210300-");
    Backup backup = lab.backups().get(0);
    assertThat(backup.spec().labels()).isEqualTo(Map.of("team", "db", "RecurringJob", "nightly"));
    assertThat(lab.job().status().active()).containsExactly("va", "vb");
    assertThat(lab.job().status().lastSucceededAt()).isEmpty();

    lab.nodesWork();
    lab.settle();
    assertThat(lab.job().status().active()).isEmpty();
    assertThat(lab.job().status().executionCount()).isEqualTo(1);
    assertThat(lab.job().status().lastSucceededAt())
        .contains(Instant.parse("2026-11-21T03:00:00Z"));
  }

  @Test
  void retainKeepsTheNewestFinishedAndWhatOthersMade() throws Exception {
    lab.job(spec -> spec);
    lab.volume("va", Map.of());
    lab.store.create(Backup.of("by-hand", BackupSpec.EMPTY.withVolume("va")));
    for (int day = 21; day < 26; day++) {
      lab.night("2026-11-" + day + "T03:00:00Z");
    }
    assertThat(backups())
        .containsExactlyInAnyOrder(
            "by-hand", name("2026-11-24T03:00:00Z", "va"), name("2026-11-25T03:00:00Z", "va"));
  }

  @Test
  void backupGoesToTheTargetOfItsVolume() throws Exception {
    lab.job(spec -> spec);
    lab.volume("va", Map.of());
    lab.volume("vb", Map.of());
    Volume volume = lab.store.get(Volume.KIND, "va").orElseThrow();
    lab.store.update(volume.withSpec(volume.spec().withBackupTargetName("remote")));
    lab.settle();
    lab.clock.set("2026-11-21T03:00:02Z");
    lab.settle();
    assertThat(lab.backups())
        .extracting(backup -> backup.spec().volume() + " at " + backup.spec().backupTargetName())
        .containsExactlyInAnyOrder("va at remote", "vb at default");
  }

  @Test
  void backupsAfterTheClockWasSetBackAreKept() throws Exception {
    lab.job(spec -> spec.withRetain(1));
    lab.volume("va", Map.of());
    lab.night("2027-11-20T03:00:00Z");
    lab.night("2027-11-21T03:00:00Z");
    for (int day = 22; day < 25; day++) {
      lab.night("2026-11-" + day + "T03:00:00Z");
    }
    assertThat(backups())
        .as("the last one, and the base by the time of its completion")
        .containsExactly(name("2026-11-24T03:00:00Z", "va"), name("2027-11-21T03:00:00Z", "va"));
  }

  @Test
  void jobThatReplacesAnotherCountsOn() throws Exception {
    lab.job(spec -> spec.withRetain(1));
    lab.volume("va", Map.of());
    lab.night("2026-11-21T03:00:00Z");
    lab.night("2026-11-22T03:00:00Z");
    lab.store.delete(RecurringJob.KIND, JobLab.JOB, "");
    lab.job(spec -> spec.withRetain(1));
    lab.night("2026-11-23T03:00:00Z");
    assertThat(backups()).containsExactly(name("2026-11-23T03:00:00Z", "va"));
    assertThat(lab.job().status().executionCount()).isEqualTo(3);
  }

  @Test
  void failedBackupIsNeitherCountedNorRemoved() throws Exception {
    lab.job(spec -> spec.withRetain(1));
    lab.volume("va", Map.of());
    lab.night("2026-11-21T03:00:00Z");
    lab.clock.set("2026-11-22T03:00:00Z");
    lab.settle();
    lab.backupsFail(true);
    lab.settle();
    assertThat(lab.job().status().lastErrors())
        .singleElement()
        .asString()
        .startsWith("volume va: backup nightly-202611220300-")
        .endsWith("the target does not answer");
    assertThat(lab.job().status().lastSucceededAt())
        .contains(Instant.parse("2026-11-21T03:00:00Z"));
    assertThat(backups()).hasSize(2);

    lab.clock.set("2026-11-23T03:00:00Z");
    lab.settle();
    assertThat(backups()).hasSize(3);
  }

  @Test
  void backupThatIsTriedAgainKeepsItsVolumeOutOfTheNextRun() throws Exception {
    lab.job(spec -> spec.withConcurrency(1));
    lab.volume("va", Map.of());
    lab.volume("vb", Map.of());
    lab.clock.set("2026-11-21T03:00:00Z");
    lab.settle();
    assertThat(backups()).hasSize(1);
    lab.backupsFail(false);
    lab.settle();
    assertThat(backups()).hasSize(2);

    lab.clock.set("2026-11-22T03:00:00Z");
    lab.settle();
    assertThat(backups()).hasSize(2);
    assertThat(lab.job().status().lastErrors())
        .contains("volume vb: its previous run is not finished");
  }

  @Test
  void concurrencyLimitsTheVolumesWorkedOn() throws Exception {
    lab.job(spec -> spec.withConcurrency(2));
    for (String volume : List.of("va", "vb", "vc", "vd", "ve")) {
      lab.volume(volume, Map.of());
    }
    lab.clock.set("2026-11-21T03:00:00Z");
    lab.settle();
    assertThat(backups()).hasSize(2);
    assertThat(lab.job().status().pending()).containsExactly("vc", "vd", "ve");
    lab.nodesWork();
    lab.settle();
    assertThat(backups()).hasSize(4);
    lab.nodesWork();
    lab.settle();
    assertThat(backups()).hasSize(5);
    assertThat(lab.job().status().pending()).isEmpty();
  }

  @Test
  void volumesThatCannotBeReadAreNamed() throws Exception {
    lab.job(spec -> spec);
    lab.volume("va", Map.of());
    Volume volume = lab.store.get(Volume.KIND, "va").orElseThrow();
    lab.store.updateStatus(volume.withStatus(volume.status().withRobustness(Robustness.FAULTED)));
    lab.night("2026-11-21T03:00:00Z");
    assertThat(backups()).isEmpty();
    assertThat(lab.job().status().lastErrors()).containsExactly("volume va: it is faulted");
    assertThat(lab.job().status().lastSucceededAt()).isEmpty();
    assertThat(lab.events).containsExactly("RunFailed: volume va: it is faulted");
  }

  @Test
  void standbyVolumeIsLeftOut() throws Exception {
    lab.job(spec -> spec);
    lab.volume("va", Map.of());
    Volume volume = lab.store.get(Volume.KIND, "va").orElseThrow();
    lab.store.updateStatus(
        volume.withStatus(
            volume.status().withStandby(StandbyStatus.EMPTY.withState(StandbyState.FOLLOWING))));
    lab.night("2026-11-21T03:00:00Z");
    assertThat(backups()).isEmpty();
    assertThat(lab.job().status().lastErrors())
        .containsExactly("volume va: it is a standby volume");
  }

  @Test
  void volumeThatCannotBeBackedUpStopsNoOther() throws Exception {
    lab.job(spec -> spec);
    lab.volume("a", Map.of());
    lab.volume("vb", Map.of());
    lab.night("2026-11-21T03:00:00Z");
    assertThat(backups()).containsExactly(name("2026-11-21T03:00:00Z", "vb"));
    assertThat(lab.job().status().lastErrors())
        .singleElement()
        .asString()
        .startsWith("volume a: spec.volume: Invalid value: \"a\": must be at least 2 characters");
  }

  @Test
  void missedRunsAreMadeUpOnce() throws Exception {
    lab.job(spec -> spec);
    lab.volume("va", Map.of());
    lab.settle();
    lab.night("2026-11-28T17:00:00Z");
    assertThat(backups()).containsExactly(name("2026-11-28T03:00:00Z", "va"));
    assertThat(lab.job().status().executionCount()).isEqualTo(1);
  }

  @Test
  void missedRunAfterTheDeadlineIsTold() throws Exception {
    lab.job(spec -> spec.withStartingDeadlineSeconds(3600));
    lab.volume("va", Map.of());
    lab.settle();
    lab.night("2026-11-28T17:00:00Z");
    assertThat(backups()).isEmpty();
    assertThat(lab.events)
        .containsExactly("RunMissed: the run of 2026-11-28T03:00:00Z could not begin in time");
  }

  @Test
  void eachNthBackupIsFull() throws Exception {
    lab.job(spec -> spec.withParameters(Map.of("full-backup-interval", "3")).withRetain(9));
    lab.volume("va", Map.of());
    for (int day = 21; day < 26; day++) {
      lab.night("2026-11-" + day + "T03:00:00Z");
    }
    assertThat(lab.backups().stream().map(backup -> backup.spec().backupMode()))
        .containsExactly(
            BackupMode.FULL,
            BackupMode.INCREMENTAL,
            BackupMode.INCREMENTAL,
            BackupMode.FULL,
            BackupMode.INCREMENTAL);
  }

  @Test
  void backupIsSkippedWhenTheVolumeDidNotChange() throws Exception {
    lab.job(spec -> spec.withTask("backup"));
    lab.volume("va", Map.of());
    lab.night("2026-11-21T03:00:00Z");
    assertThat(backups()).hasSize(1);

    lab.night("2026-11-22T03:00:00Z");
    assertThat(backups()).hasSize(1);
    assertThat(snapshots()).containsExactly(name("2026-11-21T03:00:00Z", "va"));
    assertThat(lab.job().status().lastSucceededAt())
        .contains(Instant.parse("2026-11-22T03:00:00Z"));

    lab.changed.add("va");
    lab.night("2026-11-23T03:00:00Z");
    assertThat(backups())
        .containsExactly(name("2026-11-21T03:00:00Z", "va"), name("2026-11-23T03:00:00Z", "va"));
    Snapshot snapshot =
        lab.store
            .get(Snapshot.KIND, Snapshot.nameFor("va", name("2026-11-23T03:00:00Z", "va")))
            .orElseThrow();
    assertThat(snapshot.metadata().labels())
        .isEqualTo(Map.of(Backup.SNAPSHOT_LABEL, name("2026-11-23T03:00:00Z", "va")));
  }

  @Test
  void snapshotIsKeptOnlyWhenTheVolumeChanged() throws Exception {
    lab.job(spec -> spec.withTask("snapshot"));
    lab.volume("va", Map.of());
    lab.night("2026-11-21T03:00:00Z");
    lab.changed.remove("va");
    lab.night("2026-11-22T03:00:00Z");
    assertThat(snapshots()).containsExactly(name("2026-11-21T03:00:00Z", "va"));
    for (int day = 23; day < 26; day++) {
      lab.changed.add("va");
      lab.night("2026-11-" + day + "T03:00:00Z");
    }
    assertThat(snapshots())
        .containsExactly(name("2026-11-24T03:00:00Z", "va"), name("2026-11-25T03:00:00Z", "va"));
  }

  @Test
  void forcedSnapshotIsTakenWithoutChanges() throws Exception {
    lab.job(spec -> spec.withTask("snapshot-force-create"));
    lab.volume("va", Map.of());
    lab.night("2026-11-21T03:00:00Z");
    lab.changed.clear();
    lab.night("2026-11-22T03:00:00Z");
    assertThat(snapshots()).hasSize(2);
  }

  @Test
  void oldSnapshotsOfAnyOriginAreDeletedExceptWhatBackupsNeed() throws Exception {
    lab.volume("va", Map.of());
    for (int i = 1; i <= 4; i++) {
      lab.clock.pass(Duration.ofHours(1));
      lab.store.create(
          Snapshot.of("s-" + i, SnapshotSpec.EMPTY.withVolume("va").withSnapshotName("s-" + i)));
      lab.nodesWork();
    }
    lab.store.create(
        Backup.of("by-hand", BackupSpec.EMPTY.withVolume("va").withSnapshotName("s-1")));
    lab.job(spec -> spec.withTask("snapshot-delete"));
    lab.settle();
    lab.clock.set("2026-11-21T03:00:00Z");
    lab.settle();
    assertThat(snapshots()).containsExactly("s-1", "s-3", "s-4");
    assertThat(lab.job().status().pending()).isEmpty();
  }

  @Test
  void snapshotsOfTheSystemAreDeletedExceptWhatBackupsNeed() throws Exception {
    lab.volume("va", Map.of());
    lab.volume("vb", Map.of("recurring-job.holdfast.dev/other", "enabled"));
    for (String name : List.of("s-1", "s-2", "s-3")) {
      lab.store.create(
          Snapshot.of(name, SnapshotSpec.EMPTY.withVolume("va").withSnapshotName(name)));
    }
    lab.store.create(
        Snapshot.of("s-4", SnapshotSpec.EMPTY.withVolume("vb").withSnapshotName("s-4")));
    lab.nodesWork();
    Snapshot taken = lab.store.get(Snapshot.KIND, "s-1").orElseThrow();
    lab.store.updateStatus(taken.withStatus(taken.status().withUserCreated(true)));
    lab.store.create(
        Backup.of("by-hand", BackupSpec.EMPTY.withVolume("va").withSnapshotName("s-2")));
    lab.job(spec -> spec.withTask("snapshot-cleanup"));
    lab.settle();
    assertThat(snapshots()).containsExactly("s-1", "s-2", "s-3", "s-4");
    lab.clock.set("2026-11-21T03:00:00Z");
    lab.settle();
    assertThat(snapshots()).containsExactly("s-1", "s-2", "s-4");
    assertThat(lab.job().status().pending()).isEmpty();
  }

  @Test
  void suspendedJobBeginsNoRun() throws Exception {
    lab.job(spec -> spec.withSuspend(true));
    lab.volume("va", Map.of());
    lab.night("2026-11-21T03:00:00Z");
    assertThat(backups()).isEmpty();
    assertThat(lab.job().status().nextScheduledAt()).isEmpty();
    lab.change(spec -> spec.withSuspend(false));
    lab.night("2026-11-22T12:00:00Z");
    assertThat(backups()).isEmpty();
    assertThat(lab.job().status().nextScheduledAt())
        .contains(Instant.parse("2026-11-23T03:00:00Z"));
  }

  @Test
  void snapshotWhoseChangesWereLookedAtGoesWithItsJob() throws Exception {
    lab.job(spec -> spec.withTask("backup"));
    lab.volume("va", Map.of());
    lab.night("2026-11-21T03:00:00Z");
    lab.clock.set("2026-11-22T03:00:00Z");
    lab.settle();
    assertThat(snapshots()).hasSize(2);
    lab.store.delete(RecurringJob.KIND, JobLab.JOB, "");
    lab.settle();
    assertThat(snapshots()).containsExactly(name("2026-11-21T03:00:00Z", "va"));
    assertThat(backups()).hasSize(1);
  }
}
