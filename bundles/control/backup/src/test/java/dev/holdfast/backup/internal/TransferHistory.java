package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupReading;
import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.BlockSink;
import dev.holdfast.backupstore.DamagedBlock;
import dev.holdfast.backupstore.LockTiming;
import dev.holdfast.backupstore.LonghornBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.datapath.SnapshotReader;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupMode;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Backups of one volume that is written, moved, closed and opened again, while two nodes die and
 * lose the store, and the target fails. Snapshots are deleted and taken again under their names,
 * and backups are deleted. A complete backup must always have the bytes of its snapshot.
 */
final class TransferHistory {
  private static final String VOLUME = "va";
  private static final int BLOCKS = 4;
  private static final int MOST_BACKUPS = 5;
  private static final List<String> NODES = List.of("node-1", "node-2");

  private final Random random;
  private final Simulation simulation;
  private final MemoryTargets targets = new MemoryTargets(new TargetClock());
  private final SimulatedVolume volume = new SimulatedVolume(BLOCKS);

  /** Contents of snapshots by uid, also of those that are gone. */
  private final Map<String, byte[]> contents = new HashMap<>();

  private final Set<String> verified = new HashSet<>();
  private boolean faulty = true;
  private int backups;

  /**
   * Creates a history with the real or a defective source of backups, and a store that may return
   * wrong results.
   */
  TransferHistory(
      long seed, Function<SnapshotReader, BackupSource> source, UnaryOperator<ObjectStore> store)
      throws StorageException {
    random = new Random(seed);
    targets.options = new TransferOptions(new TargetTime(), 1);
    targets.wrap = store;
    Simulation.Builder builder =
        Simulation.builder(seed).invariant("complete backups are right", this::checkNew);
    InstalledTargets installed = targets.installed();
    for (String node : NODES) {
      builder
          .reconciler(node, () -> new BackupReconciler(installed, Runnable::run))
          .reconciler(node, () -> new BackupTransferReconciler(installed, volume.on(node), source));
    }
    simulation = builder.build();
    create(simulation.store());
  }

  /** Timing of the nodes' locks. The nodes' clocks follow that of the target. */
  private final class TargetTime implements LockTiming {
    @Override
    public long nanoTime() {
      return Duration.between(Instant.EPOCH, simulation.clock().instant()).toNanos();
    }

    @Override
    public void pause(Duration time) {}
  }

  /** The clock of the target, by which the leases of locks end. */
  private final class TargetClock extends Clock {
    @Override
    public Instant instant() {
      return Optional.ofNullable(simulation).map(s -> s.clock().instant()).orElse(Instant.EPOCH);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  private void create(ResourceStore store) throws StorageException {
    BackupTarget target =
        store.create(
            BackupTarget.of(
                BackupTarget.DEFAULT_NAME,
                BackupTargetSpec.EMPTY.withBackupTargetURL(MemoryTargets.URL)));
    store.updateStatus(target.withStatus(target.status().withAvailable(true)));
    Quantity size = new Quantity(1 << 20);
    store.create(Volume.of(VOLUME, VolumeSpec.EMPTY.withSize(size).withNumberOfReplicas(1)));
    store.create(Engine.of(VOLUME + "-e-0", EngineSpec.EMPTY.withVolume(VOLUME).withSize(size)));
    // The first backup at the target determines the size of blocks. Small blocks are used, so that
    // many fit.
    new ForeignCluster(targets.store).beginSmall(VOLUME, "first");
  }

  void play() throws StorageException {
    volume.move(NODES.get(0));
    targets.plan = this::before;
    engineWorks();
    personWorks();
    simulation.run(Duration.ofMinutes(4));
    faulty = false;
    simulation.calm();
    volume.move(NODES.get(1));
    simulation.runUntil("all backups end", Duration.ofMinutes(40), this::isSettled);
    verified.clear();
    checkNew(simulation.store());
  }

  private boolean isSettled(ResourceStore store) throws StorageException {
    return all(store).stream().allMatch(backup -> backup.isFinal() && !backup.isBeingDeleted());
  }

  private static List<Backup> all(ResourceStore store) throws StorageException {
    return store.list(Backup.KIND, LabelSelector.ALL).items();
  }

  private void before(FaultyObjectStore.Call call, String key) throws StorageException {
    if (faulty && random.nextInt(60) == 0) {
      volume.move(random.nextInt(3) == 0 ? "" : NODES.get(random.nextInt(2)));
    }
    if (faulty && random.nextInt(25) == 0) {
      throw new StorageException(ErrorCode.UNREACHABLE, call + " " + key + ": injected fault");
    }
  }

  /** Takes and removes snapshots as their resources request, while the volume is open. */
  private void engineWorks() {
    simulation.after(
        Duration.ofMillis(200 + random.nextInt(1500)),
        store -> {
          engineWorks();
          if (!volume.isOpen()) {
            return;
          }
          List<Snapshot> wanted =
              store.list(Snapshot.KIND, LabelSelector.ALL).items().stream()
                  .filter(snapshot -> !snapshot.isBeingDeleted())
                  .toList();
          volume.retain(wanted.stream().map(snapshot -> snapshot.metadata().uid()).toList());
          for (Snapshot snapshot : wanted) {
            take(snapshot, store);
          }
        });
  }

  private void take(Snapshot snapshot, ResourceStore store) throws StorageException {
    if (snapshot.status().readyToUse()) {
      return;
    }
    String uid = snapshot.metadata().uid();
    var now = simulation.clock().instant().truncatedTo(ChronoUnit.SECONDS);
    if (volume.take(snapshot.nameInVolume(), uid, now)) {
      contents.put(uid, volume.contentOf(uid).orElseThrow());
    }
    store.updateStatus(
        snapshot.withStatus(
            snapshot
                .status()
                .withReadyToUse(true)
                .withCreationTime(Optional.of(now))
                .withRestoreSize(new Quantity(volume.content.length))));
  }

  private void personWorks() {
    simulation.after(
        Duration.ofMillis(500 + random.nextInt(12_000)),
        store -> {
          if (faulty) {
            personWorks();
            act(store);
          }
        });
  }

  private void act(ResourceStore store) throws StorageException {
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> volume.write(random.nextInt(BLOCKS), (byte) random.nextInt(5));
      case 3 -> volume.move(NODES.get(random.nextInt(2)));
      case 4 -> remakeSnapshot(store);
      case 5 -> {
        for (Backup backup : some(all(store))) {
          store.delete(Backup.KIND, backup.name(), "");
        }
      }
      default -> request(store);
    }
  }

  private void request(ResourceStore store) throws StorageException {
    if (backups == MOST_BACKUPS) {
      return;
    }
    BackupMode mode = random.nextInt(6) == 0 ? BackupMode.FULL : BackupMode.INCREMENTAL;
    BackupSpec spec = BackupSpec.EMPTY.withVolume(VOLUME).withBackupMode(mode);
    store.create(Backup.of("backup-" + ++backups, spec));
  }

  /** Deletes a snapshot and takes another one of its name, after the volume changed. */
  private void remakeSnapshot(ResourceStore store) throws StorageException {
    for (Snapshot old : some(store.list(Snapshot.KIND, LabelSelector.ALL).items())) {
      store.delete(Snapshot.KIND, old.name(), "");
      volume.write(random.nextInt(BLOCKS), (byte) random.nextInt(5));
      SnapshotSpec spec =
          SnapshotSpec.EMPTY.withVolume(VOLUME).withSnapshotName(old.nameInVolume());
      store.create(Snapshot.of(old.name(), spec));
    }
  }

  private <T> List<T> some(List<T> all) {
    return all.isEmpty() ? all : List.of(all.get(random.nextInt(all.size())));
  }

  /** Compares the backups completed since the last check with their snapshots. */
  private void checkNew(ResourceStore store) throws StorageException {
    for (Backup backup : all(store)) {
      boolean complete = backup.status().state() == BackupState.COMPLETED;
      if (complete && !backup.isBeingDeleted() && verified.add(backup.metadata().uid())) {
        check(backup);
      }
    }
  }

  private void check(Backup backup) {
    byte[] expected = contents.get(backup.status().snapshotUID());
    byte[] found = new byte[expected.length];
    try {
      new BackupReading(targets.store, 1)
          .all(
              new LonghornBackups(targets.store).backup(BackupRecords.nameOf(backup)),
              new Filled(found));
    } catch (StorageException e) {
      throw new AssertionError(
          "backup " + backup.name() + " is complete and cannot be read: " + e.getMessage(), e);
    }
    List<Integer> wrong = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      int from = i * SimulatedVolume.BLOCK;
      int to = from + SimulatedVolume.BLOCK;
      if (!Arrays.equals(expected, from, to, found, from, to)) {
        wrong.add(i);
      }
    }
    if (!wrong.isEmpty()) {
      throw new AssertionError("backup " + backup.name() + " has wrong bytes in blocks " + wrong);
    }
  }

  /** Receives the blocks of a backup. */
  private static final class Filled implements BlockSink {
    private final byte[] bytes;

    Filled(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public void block(long offset, ByteBuffer content) {
      content.get(bytes, (int) offset, content.remaining());
    }

    @Override
    public void damaged(DamagedBlock block) throws StorageException {
      throw new StorageException(ErrorCode.IO, "damaged block: " + block);
    }
  }
}
