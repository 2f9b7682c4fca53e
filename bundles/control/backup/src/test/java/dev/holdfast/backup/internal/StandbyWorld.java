package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backup.internal.delta.DeltaBase;
import dev.holdfast.backup.internal.standby.StandbyReconciler;
import dev.holdfast.backup.internal.standby.StandbyStep;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.testkit.StoreContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.restore.StandbyActivation;
import dev.holdfast.resource.restore.StandbyState;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A standby volume, its target and the process that manages it, on one thread. The process may end
 * at any of its steps: each write to the store, call of the target and change of the volume. In all
 * cases a volume whose content counts as complete has the bytes of the backup that its status
 * names.
 */
final class StandbyWorld implements AutoCloseable {
  static final String VOLUME = "copy";
  static final String ENGINE = "copy-e-0";
  static final int SIZE = 4 << 20;
  private static final String FOLLOWED = "va";

  /** The process has ended. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** Planted faults. */
  record Mutant(Function<Volume, StandbyStep> steps, DeltaBase bases) {
    static final Mutant NONE = new Mutant(StandbyStep::next, new DeltaBase());
  }

  final MemoryTargets targets = new MemoryTargets();
  private final Mutant mutant;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final StandbyDisk disk = new StandbyDisk(SIZE, this::step, this::process);
  private final Map<String, byte[]> contents = new HashMap<>();
  private Instant now = Instant.parse("2026-11-29T12:00:00Z");
  private List<Reconciler<?>> reconcilers = List.of();
  private int steps;
  private int planned = -1;
  private Runnable event = () -> {};
  private boolean dead;
  private boolean ended;

  StandbyWorld(Mutant mutant) throws StorageException {
    this.mutant = mutant;
    targets.plan = (call, key) -> step();
    store.create(
        BackupTarget.of(
            BackupTarget.DEFAULT_NAME,
            BackupTargetSpec.EMPTY.withBackupTargetURL(MemoryTargets.URL)));
    Quantity size = new Quantity(SIZE);
    store.create(Engine.of(ENGINE, EngineSpec.EMPTY.withVolume(VOLUME).withSize(size)));
    // The first backup at the target determines the size of blocks. Small blocks are used, so that
    // many fit.
    new ForeignCluster(targets.store).beginSmall(FOLLOWED, "b0");
    start();
  }

  private void start() {
    dead = false;
    InstalledTargets installed = targets.installed();
    reconcilers =
        List.of(
            new RestoreReconciler(installed, Runnable::run),
            new StandbyReconciler(installed, Runnable::run, mutant.steps(), mutant.bases()),
            copier());
  }

  /** Returns the reconciler that copies on a node that has the volume open. */
  RestoreCopyReconciler copier() {
    return new RestoreCopyReconciler(
        targets.installed(), disk, new ClusterImages(), mutant.bases());
  }

  boolean isOpen() {
    return disk.isOpen();
  }

  /** Returns the store of the process, with its steps. */
  private ResourceStore process() {
    return new ForwardingResourceStore(store) {
      @Override
      public <R extends Resource<R>> R create(R resource) throws StorageException {
        step();
        return super.create(resource);
      }

      @Override
      public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
        step();
        R written = super.updateStatus(resource);
        checkWhole();
        return written;
      }
    };
  }

  private void step() {
    if (dead) {
      throw new Killed();
    }
    if (steps++ == planned) {
      event.run();
      ended = true;
      if (dead) {
        throw new Killed();
      }
    }
  }

  int steps() {
    return steps;
  }

  /** Plans an action, which may {@link #kill}, at a step counted from now. */
  void plan(int step, Runnable what) {
    planned = steps + step;
    event = what;
    ended = false;
  }

  void kill() {
    dead = true;
  }

  /** Makes the target unreachable. */
  void losesTarget() {
    targets.plan =
        (call, key) -> {
          step();
          throw new StorageException(ErrorCode.UNREACHABLE, "target " + MemoryTargets.URL);
        };
  }

  /** Makes the newest backup of the followed volume, with these bytes. */
  void backUp(String backup, byte[] bytes, boolean known) {
    Instant taken = now;
    try {
      new LonghornBackupWriter(targets.store, 1, targets.options.timing())
          .write(
              new BackupRequest(
                  new BackupName(FOLLOWED, backup),
                  "s-" + backup,
                  "uid-" + backup,
                  taken,
                  Map.of(),
                  true,
                  2 << 20,
                  Compression.NONE,
                  RecordedImage.NONE),
              new BytesSource(bytes),
              (done, all) -> {});
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
    if (known) {
      contents.put(backup, bytes);
    }
    now = now.plusSeconds(1);
  }

  void forget(String backup) throws StorageException {
    targets.store.delete(List.of(ForeignCluster.config(FOLLOWED, backup)));
  }

  void follow(String backup) throws StorageException {
    store.create(
        Volume.of(
            VOLUME,
            VolumeSpec.EMPTY
                .withSize(new Quantity(SIZE))
                .withNumberOfReplicas(1)
                .withStandby(true)
                .withFromBackup(MemoryTargets.URL + "?backup=" + backup + "&volume=" + FOLLOWED)));
  }

  void activate(StandbyActivation activation) {
    try {
      Volume volume = volume();
      store.update(
          volume.withSpec(volume.spec().withStandby(false).withStandbyActivation(activation)));
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  Volume volume() throws StorageException {
    return store.get(Volume.KIND, VOLUME).orElseThrow();
  }

  boolean isActive() throws StorageException {
    return volume().status().standby().state() == StandbyState.ACTIVATED;
  }

  /** Runs the process until the goal or the planned step is reached. */
  boolean runUntil(int rounds, Predicate<Volume> goal) throws StorageException {
    for (int i = 0; i < rounds && !ended; i++) {
      if (goal.test(volume())) {
        return true;
      }
      round();
    }
    ended = false;
    return goal.test(volume());
  }

  ReconcileContext context() {
    return new StoreContext(process(), Clock.fixed(now, ZoneOffset.UTC), "node-1");
  }

  private void round() throws StorageException {
    now = now.plus(Duration.ofSeconds(5));
    attach();
    ReconcileContext context = context();
    for (Reconciler<?> reconciler : reconcilers) {
      try {
        var unused =
            reconciler.reconcile(reconciler.kind().equals(Engine.KIND) ? ENGINE : VOLUME, context);
      } catch (StorageException e) {
        assertThat(dead || e.code() == ErrorCode.CONFLICT || e.code() == ErrorCode.UNREACHABLE)
            .as("%s", e)
            .isTrue();
      } catch (Killed e) {
        dead = true;
      }
    }
    try {
      snapshots();
    } catch (Killed e) {
      dead = true;
    }
    if (dead) {
      disk.lose();
      start();
    }
    checkWhole();
  }

  /** Acts as the controllers of attachments and volumes in other processes. */
  private void attach() throws StorageException {
    Volume volume = volume();
    boolean snapshot = snapshotsOfVolume().stream().anyMatch(found -> !found.status().readyToUse());
    boolean needed =
        volume.awaitsContent() ? volume.isBeingCopied() : volume.isStandby() && snapshot;
    if (needed) {
      disk.open(volume);
    } else {
      disk.close();
    }
    store.updateStatus(
        volume.withStatus(
            volume
                .status()
                .withState(needed ? VolumeState.ATTACHED : VolumeState.DETACHED)
                .withRobustness(needed ? Robustness.HEALTHY : Robustness.UNKNOWN)));
  }

  private List<Snapshot> snapshotsOfVolume() throws StorageException {
    return store.list(Snapshot.KIND, LabelSelector.ALL).items();
  }

  private void snapshots() throws StorageException {
    if (!disk.isOpen()) {
      return;
    }
    disk.retain(snapshotsOfVolume().stream().map(Snapshot::nameInVolume).toList());
    for (Snapshot snapshot : snapshotsOfVolume()) {
      if (!snapshot.status().readyToUse() && !volume().awaitsContent()) {
        disk.take(snapshot.nameInVolume());
        process()
            .updateStatus(
                snapshot.withStatus(
                    snapshot.status().withReadyToUse(true).withCreationTime(Optional.of(now))));
      }
    }
  }

  private void checkWhole() throws StorageException {
    Optional<Volume> volume = store.get(Volume.KIND, VOLUME);
    if (volume.isEmpty() || volume.get().awaitsContent()) {
      return;
    }
    String backup = volume.get().status().restore().backup();
    if (!Arrays.equals(disk.content(), contents.get(backup))) {
      throw new AssertionError(
          "the volume counts as whole and has not the bytes of " + backup + ": a mixture");
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
