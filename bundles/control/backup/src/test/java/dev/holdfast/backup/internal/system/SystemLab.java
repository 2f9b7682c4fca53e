package dev.holdfast.backup.internal.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backup.internal.InstalledTargets;
import dev.holdfast.backup.internal.MemoryTargets;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
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
import dev.holdfast.resource.image.BackingImageStatus;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A cluster of two nodes that makes and restores system backups. */
final class SystemLab {
  static final Duration LIMIT = Duration.ofMinutes(20);
  private static final int MEAN_CALLS = 8;
  static final String CHECKSUM = "ab".repeat(64);
  static final String SETTING = "replica-soft-anti-affinity";

  final Simulation simulation;
  final ResourceStore store;
  final ListedObjects objects = new ListedObjects();

  SystemLab(long seed, MemoryTargets targets, String target, String url, Faults faults)
      throws StorageException {
    this(seed, targets, target, url, faults, VolumeBackupChoice::new, ItemRestore::new);
  }

  SystemLab(
      long seed,
      MemoryTargets targets,
      String target,
      String url,
      Faults faults,
      VolumeBackupChoice.Factory choices,
      ItemRestore.Factory restorer)
      throws StorageException {
    InstalledTargets installed = targets.installed();
    Simulation.Builder builder = Simulation.builder(seed).faults(faults);
    for (String node : List.of("node-1", "node-2")) {
      builder
          .reconciler(
              node, () -> new SystemBackupReconciler(installed, Runnable::run, objects, choices))
          .reconciler(node, () -> new SystemBackupScanReconciler(installed, Runnable::run))
          .reconciler(
              node, () -> new SystemRestoreReconciler(installed, Runnable::run, objects, restorer));
    }
    simulation = builder.build();
    store = simulation.store();
    store.create(BackupTarget.of(target, BackupTargetSpec.EMPTY.withBackupTargetURL(url)));
  }

  /** Fills the cluster: two volumes with a backup, one without, and resources of other kinds. */
  void fill() throws StorageException {
    store.create(Setting.of(SETTING, new SettingSpec("true")));
    store.create(
        RecurringJob.of(
            "nightly",
            RecurringJobSpec.EMPTY.withTask("backup").withCron("0 3 * * *").withRetain(3)));
    image("debian", "download", Map.of("url", "https://images.example/debian.qcow2"));
    image("own", "upload", Map.of());
    volume("one", VolumeSpec.EMPTY.withNodeID("node-1").withBackingImage("debian"));
    volume("two", VolumeSpec.EMPTY.withNumberOfReplicas(2));
    volume("three", VolumeSpec.EMPTY);
    complete(store.create(Backup.of("one-old", BackupSpec.EMPTY.withVolume("one"))), 1);
    complete(store.create(Backup.of("one-new", BackupSpec.EMPTY.withVolume("one"))), 2);
    complete(store.create(Backup.of("two-only", BackupSpec.EMPTY.withVolume("two"))), 1);
    Backup foreign = Backup.of("foreign", BackupSpec.EMPTY.withVolume("three"));
    complete(
        store.create(
            foreign.withMetadata(
                foreign.metadata().withLabels(Map.of(Backup.DISCOVERED_LABEL, "any")))),
        0);
  }

  private void image(String name, String source, Map<String, String> parameters)
      throws StorageException {
    BackingImage image =
        store.create(
            BackingImage.of(
                name,
                BackingImageSpec.EMPTY.withSourceType(source).withSourceParameters(parameters)));
    store.updateStatus(
        image.withStatus(
            BackingImageStatus.EMPTY
                .withContentChecksum("content of " + name)
                .withConditions(
                    Condition.with(
                        List.of(),
                        Condition.READY,
                        Condition.Status.TRUE,
                        "Ready",
                        "",
                        Instant.EPOCH))));
  }

  private void volume(String name, VolumeSpec spec) throws StorageException {
    Volume volume = Volume.of(name, spec.withSize(Quantity.parse("32Mi")));
    store.create(volume.withMetadata(volume.metadata().withLabels(Map.of("app", name))));
  }

  /** Completes a backup, as the node that writes it does. */
  void complete(Backup backup, long number) throws StorageException {
    store.updateStatus(
        backup.withStatus(
            backup
                .status()
                .withState(BackupState.COMPLETED)
                .withCompletion(number)
                .withUrl(
                    MemoryTargets.URL
                        + "?backup="
                        + backup.name()
                        + "&volume="
                        + backup.spec().volume())));
  }

  /** Completes the backup of an image, as the controller of image backups does. */
  void complete(BackupBackingImage backup, String content) throws StorageException {
    store.updateStatus(
        backup.withStatus(
            backup
                .status()
                .withState(BackupState.COMPLETED)
                .withChecksum(CHECKSUM)
                .withContentChecksum(content)
                .withUrl(MemoryTargets.URL + "?backingImage=" + backup.spec().backingImage())));
  }

  /** Returns the backups of volumes that a system backup requested. */
  List<Backup> made() throws StorageException {
    return store.list(Backup.KIND, LabelSelector.ALL).items().stream()
        .filter(backup -> backup.metadata().labels().containsKey(SystemBackup.LABEL))
        .toList();
  }

  /** Returns the backups of images that a system backup requested. */
  List<BackupBackingImage> madeImages() throws StorageException {
    return store.list(BackupBackingImage.KIND, LabelSelector.ALL).items().stream()
        .filter(backup -> backup.metadata().labels().containsKey(SystemBackup.LABEL))
        .toList();
  }

  void backUp(String name, VolumeBackupPolicy policy) throws StorageException {
    backUp(name, SystemBackupSpec.EMPTY.withVolumeBackupPolicy(policy));
  }

  void backUp(String name, SystemBackupSpec spec) throws StorageException {
    store.create(SystemBackup.of(name, spec));
  }

  SystemBackup ready(String name) throws StorageException {
    simulation.runUntil(
        "the system backup is ready",
        LIMIT,
        s -> backup(name).filter(b -> b.status().state() == SystemBackupState.READY).isPresent());
    return backup(name).orElseThrow();
  }

  Optional<SystemBackup> backup(String name) throws StorageException {
    return store.get(SystemBackup.KIND, name);
  }

  void restore(String name, SystemRestoreSpec spec) throws StorageException {
    store.create(SystemRestore.of(name, spec.withSystemBackup("weekly")));
  }

  SystemRestore restored(String name) throws StorageException {
    simulation.runUntil(
        "each item was tried", LIMIT, s -> restore(name).status().itemsRestoredAt().isPresent());
    fillVolumes();
    simulation.runUntil(
        "the restore is complete",
        LIMIT,
        s -> restore(name).status().state() == SystemRestoreState.COMPLETED);
    return restore(name);
  }

  SystemRestore restore(String name) throws StorageException {
    return store.get(SystemRestore.KIND, name).orElseThrow();
  }

  /** Completes the volumes' content, as the controllers of restores do. */
  private void fillVolumes() throws StorageException {
    for (Volume volume : volumes()) {
      if (volume.awaitsContent()) {
        store.updateStatus(
            volume.withStatus(
                volume
                    .status()
                    .withRestore(volume.status().restore().withState(CloneState.COMPLETED))));
      }
    }
  }

  List<Volume> volumes() throws StorageException {
    return store.list(Volume.KIND, LabelSelector.ALL).items();
  }

  /** Returns the specs of restored resources, by kind and name. */
  Map<String, String> specs() throws StorageException {
    Map<String, String> specs = new TreeMap<>();
    for (ResourceKind<?> kind :
        List.of(Setting.KIND, RecurringJob.KIND, BackingImage.KIND, Volume.KIND)) {
      collect(kind, specs);
    }
    return specs;
  }

  private <R extends Resource<R>> void collect(ResourceKind<R> kind, Map<String, String> specs)
      throws StorageException {
    for (R resource : store.list(kind, LabelSelector.ALL).items()) {
      specs.put(
          kind.kind() + " " + resource.name(),
          resource.spec() + " " + resource.metadata().labels());
    }
  }

  /** Removes all resources except the targets, as at a loss of the store. */
  void lose() throws StorageException {
    for (ResourceKind<?> kind :
        List.of(
            Setting.KIND,
            RecurringJob.KIND,
            BackingImage.KIND,
            BackupBackingImage.KIND,
            Backup.KIND,
            Volume.KIND)) {
      loseAll(kind);
    }
    assertThat(specs()).isEmpty();
  }

  private <R extends Resource<R>> void loseAll(ResourceKind<R> kind) throws StorageException {
    for (R resource : store.list(kind, LabelSelector.ALL).items()) {
      store.delete(kind, resource.name(), "");
    }
  }

  /** Makes calls of the targets fail at random. */
  void failSome(MemoryTargets targets) {
    targets.plan =
        (call, key) -> {
          if (simulation.random().nextInt(MEAN_CALLS) == 0) {
            throw new StorageException(ErrorCode.UNREACHABLE, "the target does not answer");
          }
        };
  }
}
