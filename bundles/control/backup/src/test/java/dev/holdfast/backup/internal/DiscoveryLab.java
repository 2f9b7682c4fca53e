package dev.holdfast.backup.internal;

import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A cluster without volumes, which scans a target that another cluster writes to. */
final class DiscoveryLab {
  static final Duration LIMIT = Duration.ofMinutes(5);

  final MemoryTargets targets = new MemoryTargets();
  final ForeignCluster other = new ForeignCluster(targets.store);
  final InstalledTargets installed = targets.installed();
  final Simulation simulation;
  final ResourceStore store;
  private int requests;

  DiscoveryLab(long seed, Faults faults) throws StorageException {
    this(Simulation.builder(seed).faults(faults), List.of("node-1"), VolumeScanner::new);
  }

  DiscoveryLab(Simulation.Builder builder, List<String> nodes, Supplier<VolumeScanner> scanner)
      throws StorageException {
    for (String node : nodes) {
      builder
          .reconciler(node, () -> new TargetScanReconciler(installed, Runnable::run))
          .reconciler(
              node, () -> new BackupVolumeReconciler(installed, Runnable::run, scanner.get()))
          .reconciler(node, () -> new BackupVerifyReconciler(installed, Runnable::run))
          .reconciler(node, () -> new BackupReconciler(installed, Runnable::run));
    }
    simulation = builder.build();
    store = simulation.store();
    store.create(
        BackupTarget.of(
            BackupTarget.DEFAULT_NAME,
            BackupTargetSpec.EMPTY.withBackupTargetURL(MemoryTargets.URL)));
  }

  BackupTarget target() throws StorageException {
    return store.get(BackupTarget.KIND, BackupTarget.DEFAULT_NAME).orElseThrow();
  }

  void edit(UnaryOperator<BackupTargetSpec> change) throws StorageException {
    BackupTarget target = target();
    store.update(target.withSpec(change.apply(target.spec())));
  }

  /** Requests a scan, and waits until the target and its volumes are scanned. */
  void scan() throws StorageException {
    requestScan();
    awaitScan();
  }

  String requestScan() throws StorageException {
    String request = "request-" + ++requests;
    edit(spec -> spec.withSyncRequest(request));
    return request;
  }

  void awaitScan() throws StorageException {
    String request = target().spec().syncRequest();
    simulation.runUntil("the target is scanned", LIMIT, store -> isScanned(request));
  }

  private boolean isScanned(String request) throws StorageException {
    BackupTarget target = target();
    return target.status().synced().equals(request)
        && volumes().stream()
            .allMatch(
                volume ->
                    volume.status().syncedScan() == target.status().scans()
                        && volume.status().lastSyncedAt().isPresent());
  }

  List<BackupVolume> volumes() throws StorageException {
    return store.list(BackupVolume.KIND, LabelSelector.ALL).items();
  }

  List<Backup> backups() throws StorageException {
    return store.list(Backup.KIND, LabelSelector.ALL).items();
  }

  List<String> names() throws StorageException {
    return backups().stream()
        .filter(backup -> backup.status().state() == BackupState.COMPLETED)
        .map(Backup::name)
        .toList();
  }

  /** Returns a plan that fails every call of the target. */
  static FaultyObjectStore.Plan away() {
    return (call, key) -> {
      throw new StorageException(ErrorCode.UNREACHABLE, "the target does not answer");
    };
  }

  /** Starts to count the calls of the target. */
  Map<FaultyObjectStore.Call, Integer> counted() {
    Map<FaultyObjectStore.Call, Integer> calls = new EnumMap<>(FaultyObjectStore.Call.class);
    targets.plan = (call, key) -> calls.merge(call, 1, Integer::sum);
    return calls;
  }
}
