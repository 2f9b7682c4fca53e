package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backupstore.WrittenBackup;
import dev.holdfast.backupstore.layout.BackupLayout;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupVolume;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Packed backups that another cluster made appear in this one, beside those of Longhorn. */
class PackedDiscoveryTest {
  private static final Instant TAKEN = Instant.parse("2026-11-20T23:22:58Z");

  private DiscoveryLab lab;
  private LaidOutBackups other;

  @BeforeEach
  void start() throws Exception {
    lab = new DiscoveryLab(1, Faults.NONE);
    other = new LaidOutBackups(lab.targets.store, lab.targets.options.timing());
  }

  private void backUp(String volume, String backup) throws StorageException {
    byte[] content = new byte[256 << 10];
    content[5] = (byte) backup.hashCode();
    BackupRequest request =
        new BackupRequest(
            new BackupName(volume, backup),
            "snap",
            "uid-" + backup,
            TAKEN,
            Map.of("app", "db"),
            false,
            2 << 20,
            Compression.ZSTD,
            RecordedImage.NONE);
    WrittenBackup written =
        other.write(
            request,
            BackupLayout.PACKED,
            new BytesSource(content),
            1,
            LonghornBackupWriter.Progress.NONE);
    assertThat(written.summary().name().backup()).isEqualTo(backup);
  }

  private List<String> objects() throws StorageException {
    List<String> keys = new ArrayList<>();
    lab.targets.store.list("", "", object -> keys.add(object.key()));
    return keys;
  }

  @Test
  void requestedScanShowsWhatTheTargetHasInBothLayouts() throws Exception {
    backUp("data", "first");
    backUp("data", "second");
    lab.other.backUp("logs", "third");
    lab.scan();

    assertThat(lab.names()).containsExactly("first", "second", "third");
    Backup found = lab.store.get(Backup.KIND, "second").orElseThrow();
    assertThat(found.isDiscovered()).isTrue();
    assertThat(found.spec().labels()).isEqualTo(Map.of("app", "db"));
    assertThat(found.status().url()).isEqualTo("mem://target?backup=second&volume=data");
    assertThat(found.status().volumeSize()).isEqualTo(Quantity.parse("256Ki"));
    assertThat(found.status().snapshotCreatedAt()).contains(TAKEN);
    assertThat(lab.volumes())
        .filteredOn(volume -> volume.spec().volumeName().equals("data"))
        .singleElement()
        .satisfies(volume -> assertThat(volume.status().backups()).isEqualTo(2));
  }

  @Test
  void backupsDisappearWithThoseOfTheTarget() throws Exception {
    backUp("data", "first");
    backUp("data", "second");
    backUp("logs", "other");
    lab.scan();
    assertThat(other.remove(new BackupName("data", "first")).kept()).isEmpty();
    other.removeVolume("logs");
    lab.scan();
    lab.simulation.run(Duration.ofMinutes(1));

    assertThat(lab.names()).containsExactly("second");
    assertThat(lab.volumes()).extracting(v -> v.spec().volumeName()).containsExactly("data");
  }

  @Test
  void listThatLacksObjectsRemovesNothing() throws Exception {
    backUp("data", "first");
    lab.other.backUp("logs", "other");
    lab.scan();
    lab.targets.hidden = key -> key.startsWith("holdfast/v1/volumes/data/");
    lab.scan();
    lab.simulation.run(Duration.ofMinutes(1));
    assertThat(lab.names()).containsExactly("first", "other");
    lab.targets.hidden = key -> key.contains("/backups/");
    lab.scan();
    lab.simulation.run(Duration.ofMinutes(1));

    assertThat(lab.names()).containsExactly("first", "other");
    assertThat(lab.volumes()).hasSize(2);
  }

  @Test
  void damagedManifestIsNamedBesideTheOthers() throws Exception {
    backUp("data", "first");
    backUp("data", "second");
    String manifest =
        objects().stream().filter(key -> key.endsWith("-first.json")).findFirst().orElseThrow();
    lab.other.put(manifest, "{\"version\":1}");
    lab.scan();

    assertThat(lab.names()).containsExactly("second");
    assertThat(lab.volumes())
        .extracting(BackupVolume::syncObstacle)
        .anySatisfy(text -> assertThat(text).contains("data/first"));
  }

  @Test
  void deletionOnDemandDeletesAtTheTarget() throws Exception {
    backUp("data", "first");
    backUp("data", "second");
    lab.scan();
    Backup first = lab.store.get(Backup.KIND, "first").orElseThrow();
    lab.store.update(first.withMetadata(first.metadata().plusFinalizer(Backup.FINALIZER)));
    lab.store.delete(Backup.KIND, "first", "");
    lab.simulation.runUntil(
        "it is gone", DiscoveryLab.LIMIT, store -> lab.names().equals(List.of("second")));
    assertThat(objects()).noneMatch(key -> key.endsWith("-first.json"));
    lab.scan();
    assertThat(lab.names()).containsExactly("second");
  }
}
