package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backupstore.layout.BackupLayout;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The keys of an encrypted target come from a secret; no resource or object shows them. */
class EncryptedTargetTest {
  private static final String SECRET = "backup-keys";
  private static final String PLANTED = "planted-key-0123456789-0123456789-";

  private final MemoryTargets targets = new MemoryTargets();
  private InstalledTargets installed;
  private Simulation simulation;

  @BeforeEach
  void start() throws Exception {
    installed = targets.installed();
    simulation =
        Simulation.builder(1)
            .faults(Faults.NONE)
            .reconciler("node-1", () -> new BackupTargetReconciler(installed, Runnable::run))
            .reconciler("node-1", () -> new TargetScanReconciler(installed, Runnable::run))
            .reconciler(
                "node-1",
                () -> new BackupVolumeReconciler(installed, Runnable::run, new VolumeScanner()))
            .reconciler("node-1", () -> new BackupReconciler(installed, Runnable::run))
            .build();
    set("key-1");
  }

  private void set(String... keys) {
    Map<String, byte[]> values = new java.util.HashMap<>();
    for (String key : keys) {
      values.put(key, (PLANTED + key).getBytes(StandardCharsets.UTF_8));
    }
    targets.secrets.put(SECRET, values);
  }

  private void create(String secret) throws StorageException {
    simulation
        .store()
        .create(
            BackupTarget.of(
                "default",
                BackupTargetSpec.EMPTY
                    .withBackupTargetURL(MemoryTargets.URL)
                    .withLayout("packed")
                    .withEncryptionSecret(secret)));
  }

  private BackupTarget target() throws StorageException {
    return simulation.store().get(BackupTarget.KIND, "default").orElseThrow();
  }

  private void await(String what, Predicate<BackupTarget> reached) throws StorageException {
    simulation.runUntil(what, Duration.ofMinutes(20), store -> reached.test(target()));
  }

  /** Writes as another cluster with the same secret does. */
  private void backUp(String backup) throws StorageException {
    BackupRequest request =
        new BackupRequest(
            new BackupName("data", backup),
            "snap",
            "uid-" + backup,
            Instant.parse("2026-11-20T23:22:58Z"),
            Map.of(),
            false,
            2 << 20,
            Compression.LZ4,
            RecordedImage.NONE);
    try (ObjectStore store = installed.open(TargetAccess.of(target()))) {
      var unused =
          new LaidOutBackups(store, targets.options.timing())
              .write(
                  request,
                  BackupLayout.PACKED,
                  new BytesSource(new byte[64 << 10]),
                  1,
                  LonghornBackupWriter.Progress.NONE);
    }
  }

  private void scan(String request) throws StorageException {
    BackupTarget target = target();
    simulation.store().update(target.withSpec(target.spec().withSyncRequest(request)));
  }

  /** Scans the target until its first backup has a resource. */
  private void findFirst() throws StorageException {
    scan("1");
    simulation.runUntil(
        "the backup appears",
        Duration.ofMinutes(5),
        store -> store.get(Backup.KIND, "first").isPresent());
  }

  private String keys() throws StorageException {
    long size = targets.store.stat("holdfast/v1/keys.json").orElseThrow().size();
    ByteBuffer text = ByteBuffer.allocate((int) size);
    targets.store.get("holdfast/v1/keys.json", 0, text);
    return new String(text.array(), StandardCharsets.UTF_8);
  }

  @Test
  void targetIsTestedWithItsKeysAndItsBackupsAreFound() throws Exception {
    create(SECRET);
    await("it answers", target -> target.status().available());
    backUp("first");
    findFirst();
    List<String> plain = new ArrayList<>();
    targets.store.list(
        "holdfast/",
        "",
        object -> {
          ByteBuffer bytes = ByteBuffer.allocate((int) object.size());
          targets.store.get(object.key(), 0, bytes);
          if (!new String(bytes.array(), StandardCharsets.ISO_8859_1).startsWith("HFENC01")) {
            plain.add(object.key());
          }
        });
    assertThat(plain).containsExactly("holdfast/v1/keys.json");
    assertThat(keys()).contains("\"id\":\"key-1\"").doesNotContain("planted");
  }

  @Test
  void nextTestOfTheTargetWrapsTheDataKeyByANewKey() throws Exception {
    create(SECRET);
    await("it answers", target -> target.status().available());
    backUp("first");
    set("key-1", "key-2");
    simulation.runUntil(
        "both keys wrap", Duration.ofMinutes(20), store -> keys().contains("\"id\":\"key-2\""));
    set("key-2");
    simulation.runUntil(
        "the first is dropped",
        Duration.ofMinutes(20),
        store -> !keys().contains("\"id\":\"key-1\""));
    assertThat(target().status().available()).isTrue();
    findFirst();
  }

  @Test
  void lostKeyIsShownByTheTargetAndRemovesNoBackup() throws Exception {
    create(SECRET);
    await("it answers", target -> target.status().available());
    backUp("first");
    findFirst();
    set("key-9");
    scan("2");
    await("it says so", target -> !target.status().available());
    assertThat(target().obstacle())
        .contains("encrypted by the keys key-1; secret backup-keys has key-9")
        .doesNotContain("planted");
    simulation.run(Duration.ofMinutes(10));
    assertThat(simulation.store().get(Backup.KIND, "first")).isPresent();
    set("key-1");
    await("it answers again", target -> target.status().available());
  }

  @Test
  void absentSecretIsNamed() throws Exception {
    create("absent");
    await("it says so", target -> !target.obstacle().isEmpty());
    assertThat(target().obstacle()).contains("secret absent does not exist on this node");
  }

  @Test
  void targetWhoseSecretIsRemovedIsNotWrittenInClear() throws Exception {
    create(SECRET);
    await("it answers", target -> target.status().available());
    BackupTarget target = target();
    simulation.store().update(target.withSpec(target.spec().withEncryptionSecret("")));
    await("it says so", found -> !found.status().available());
    assertThat(target().obstacle())
        .contains("its packed backups are encrypted")
        .contains("spec.encryptionSecret");
  }
}
