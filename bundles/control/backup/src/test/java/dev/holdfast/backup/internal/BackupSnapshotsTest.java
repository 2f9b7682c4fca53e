package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Only the snapshot of the newest backup of a volume at a target stays. */
class BackupSnapshotsTest {
  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

  private DiscoveryLab lab;

  @BeforeEach
  void start() throws Exception {
    lab = new DiscoveryLab(1, Faults.NONE);
  }

  private void completed(String name, long completion, Instant at) throws StorageException {
    lab.other.backUp("data", name);
    Snapshot snapshot =
        Snapshot.of(Snapshot.nameFor("data", name), SnapshotSpec.EMPTY.withVolume("data"));
    lab.store.create(
        snapshot.withMetadata(
            snapshot
                .metadata()
                .plusFinalizer(Snapshot.FINALIZER)
                .withLabels(Map.of(Backup.SNAPSHOT_LABEL, name, Volume.LABEL, "data"))));
    Backup backup = lab.store.create(Backup.of(name, BackupSpec.EMPTY.withVolume("data")));
    lab.store.updateStatus(
        backup.withStatus(
            BackupStatus.EMPTY
                .withState(BackupState.COMPLETED)
                .withUrl("mem://target?backup=" + name + "&volume=data")
                .withCompletion(completion)
                .withBackupCreatedAt(Optional.of(at))));
  }

  private List<String> kept() throws StorageException {
    lab.simulation.run(Duration.ofMinutes(1));
    return lab.store.list(Snapshot.KIND, LabelSelector.ALL).items().stream()
        .filter(snapshot -> !snapshot.isBeingDeleted())
        .map(snapshot -> snapshot.metadata().labels().get(Backup.SNAPSHOT_LABEL))
        .toList();
  }

  @Test
  void newestBackupIsThatOfTheLastCompletionAlsoAfterTheClockWasSetBack() throws Exception {
    completed("first", 1, NOON);
    completed("second", 2, NOON.minusSeconds(3_600));
    assertThat(kept()).containsExactly("second");
  }

  @Test
  void timesDecideWithoutNumbers() throws Exception {
    completed("first", 0, NOON.minusSeconds(1));
    completed("second", 0, NOON);
    assertThat(kept()).containsExactly("second");
  }

  @Test
  void backupsOfAnotherClusterTakeNoSnapshotAway() throws Exception {
    completed("own", 1, NOON);
    lab.other.backUp("data", "newer");
    lab.scan();
    assertThat(lab.names()).containsExactly("newer", "own");
    assertThat(kept()).containsExactly("own");
  }

  private void volumeIs(VolumeState state) throws StorageException {
    Volume volume = lab.store.get(Volume.KIND, "data").orElseThrow();
    lab.store.updateStatus(volume.withStatus(volume.status().withState(state)));
  }

  /** Attaches the volume. Its next snapshot changes the status of the earlier ones. */
  private void nextSnapshotIsTaken() throws StorageException {
    volumeIs(VolumeState.ATTACHED);
    for (Snapshot snapshot : lab.store.list(Snapshot.KIND, LabelSelector.ALL).items()) {
      lab.store.updateStatus(snapshot.withStatus(snapshot.status().withChildren(List.of("third"))));
    }
  }

  @Test
  void detachedVolumeIsNotAttachedToRemoveASnapshot() throws Exception {
    lab.store.create(Volume.of("data", VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"))));
    volumeIs(VolumeState.DETACHED);
    completed("first", 1, NOON);
    completed("second", 2, NOON.plusSeconds(60));
    assertThat(kept()).containsExactly("first", "second");
    nextSnapshotIsTaken();
    assertThat(kept()).containsExactly("second");
  }

  @Test
  void snapshotOfADeletedBackupGoesWithTheNextAttachment() throws Exception {
    lab.store.create(Volume.of("data", VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"))));
    volumeIs(VolumeState.DETACHED);
    completed("only", 1, NOON);
    lab.store.delete(Backup.KIND, "only", "");
    assertThat(kept()).containsExactly("only");
    assertThat(lab.store.get(Backup.KIND, "only")).isEmpty();
    nextSnapshotIsTaken();
    assertThat(kept()).isEmpty();
  }
}
