package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
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
        snapshot.withMetadata(snapshot.metadata().withLabels(Map.of(Backup.SNAPSHOT_LABEL, name))));
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
}
