package dev.holdfast.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.resource.backup.BackupVolumeStatus;
import dev.holdfast.store.ResourceList;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How the backups at targets are shown. */
class VolumeBackupViewsTest {
  private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");
  private static final Instant BEFORE = NOW.minusSeconds(3_600);

  private final VolumeBackupViews views = new VolumeBackupViews(Clock.fixed(NOW, ZoneOffset.UTC));

  private static Backup discovered(String name, Instant created) {
    Backup backup = Backup.of(name, BackupSpec.EMPTY.withVolume("data"));
    return backup
        .withMetadata(backup.metadata().withLabels(Map.of(Backup.DISCOVERED_LABEL, "data-1")))
        .withStatus(
            BackupStatus.EMPTY
                .withState(BackupState.COMPLETED)
                .withSize(Quantity.parse("4Mi"))
                .withSnapshotCreatedAt(Optional.of(created))
                .withBackupCreatedAt(Optional.of(created)));
  }

  @Test
  void volumesAreShownWithTheirBackups() {
    BackupVolume volume = BackupVolume.of("default", "data");
    BackupVolumeStatus scanned =
        BackupVolumeStatus.EMPTY
            .withSize(Quantity.parse("64Mi"))
            .withLastSyncedAt(Optional.of(BEFORE));
    BackupVolumeStatus failed =
        scanned.withConditions(
            List.of(
                new Condition(
                    BackupTarget.SYNCED_CONDITION,
                    Condition.Status.FALSE,
                    "ScanFailed",
                    "the target does not answer",
                    NOW)));
    String shown =
        views
            .volumes(
                new ResourceList<>(
                    List.of(
                        volume.withStatus(scanned),
                        BackupVolume.of("default", "logs").withStatus(failed)),
                    "1"),
                new ResourceList<>(
                    List.of(discovered("b-2", BEFORE.minusSeconds(9)), discovered("b-1", BEFORE)),
                    "1"))
            .as(Output.Format.TEXT);

    assertThat(shown)
        .isEqualTo(
            """
            VOLUME   TARGET    SIZE   BACKUPS   LAST BACKUP   STATE
            data     default   64Mi   2         b-1           scanned 60m ago
            logs     default   64Mi   0         -             scanned 60m ago: the target does not answer""");
  }

  @Test
  void ageOfADiscoveredBackupIsThatOfItsSnapshot() {
    assertThat(
            views
                .backups(new ResourceList<>(List.of(discovered("b-1", BEFORE)), "1"))
                .as(Output.Format.TEXT))
        .contains("completed", "60m");
  }
}
