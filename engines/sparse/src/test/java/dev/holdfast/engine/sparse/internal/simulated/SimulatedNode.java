package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.disk.CrashPoint;
import dev.holdfast.engine.sparse.internal.disk.Mutant;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.simulation.Rule;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.engine.sparse.simulation.VirtualExecutor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

/** A host with a replica and, while it is up, a process with an engine. */
final class SimulatedNode {
  private static final Duration REGISTER_RETRY = Duration.ofMillis(200);

  private final Scheduler scheduler;
  private final SimulatedNetwork network;
  private final Rule without;
  private final ReplicaLocation location;
  private final SimulatedDisk disk;
  private final CrashPoint life =
      new CrashPoint() {
        @Override
        public void access() throws IOException {
          Scheduler.checkAlive();
          long left = hangsUntil - scheduler.now();
          if (left > 0) {
            scheduler.sleep(Duration.ofNanos(left));
          }
          super.access();
        }

        @Override
        public boolean happened() {
          return Scheduler.process().dead();
        }
      };
  private boolean unreadable;
  private int boot;
  private int failedSyncs;
  private long hangsUntil;
  private long stoppedUntil;
  private long hangsOneUntil;
  private long troubled = -1;
  private long full = -1;
  private Scheduler.Incarnation process;
  private SparseEngine engine;
  private boolean replacing;

  SimulatedNode(
      Scheduler scheduler, SimulatedNetwork network, ReplicaLocation location, Rule without) {
    this.scheduler = scheduler;
    this.network = network;
    this.location = location;
    this.without = without;
    this.disk = new SimulatedDisk(life, mutant(without));
  }

  private static Mutant mutant(Rule without) {
    return switch (without) {
      case FLUSH -> Mutant.FLUSH_IGNORED;
      case MARKS -> Mutant.MARKS_NOT_WRITTEN;
      case MARKS_DURABLE -> Mutant.MARKS_NOT_SYNCED;
      case MARKS_UNTIL_FLUSH -> Mutant.MARKS_CLEARED_EARLY;
      case MARKS_UNTIL_ALL_FLUSHED -> Mutant.MARKS_CLEARED_ON_SYNC;
      case RESYNC -> Mutant.NO_RESYNC;
      case DROP_DECIDED -> Mutant.DROP_NOT_DECIDED;
      default -> Mutant.NONE;
    };
  }

  String name() {
    return location.nodeId();
  }

  ReplicaLocation location() {
    return location;
  }

  SimulatedDisk disk() {
    return disk;
  }

  /** Sets the image as the base of its replica. */
  void putImage() throws IOException {
    SimulatedImage.put(disk, life);
  }

  /** Returns a number that changes whenever unflushed data may be lost. */
  int memory() {
    return boot + failedSyncs;
  }

  /** Returns whether a fault that may fail requests is active, or was since then. */
  boolean troubledSince(long time) {
    return !up()
        || replacing
        || disk.broken()
        || unreadable
        || Math.max(Math.max(troubled, hangsOneUntil), Math.max(hangsUntil, stoppedUntil)) >= time;
  }

  /** Returns whether the disk is full, or was at some time since then. */
  boolean fullSince(long time) {
    return disk.full() || full >= time;
  }

  private void trouble() {
    troubled = scheduler.now();
  }

  boolean up() {
    return process != null;
  }

  Scheduler.Incarnation process() {
    return process;
  }

  SparseEngine engine() {
    return engine;
  }

  /** Starts the process. */
  void start() {
    process = new Scheduler.Incarnation(name());
    Scheduler.Incarnation mine = process;
    // The engine's timer belongs to the process on whose thread it is made.
    scheduler.start(mine, () -> engine = newEngine(mine));
  }

  private SparseEngine newEngine(Scheduler.Incarnation mine) {
    return new SparseEngine(
        this::directory,
        "boot-" + name() + (without == Rule.BOOT ? "" : boot),
        new VirtualExecutor(scheduler, mine),
        REGISTER_RETRY,
        network.linksOf(name()));
  }

  /** Replaces the engine's bundle in the running process, without waiting for its callers. */
  void replaceBundle() {
    SparseEngine former = engine;
    if (former == null || replacing) {
      return;
    }
    Scheduler.Incarnation mine = process;
    replacing = true;
    trouble();
    scheduler.start(
        mine,
        () -> {
          network.serviceStops(name(), former);
          former.stop();
          engine = newEngine(mine);
          replacing = false;
          trouble();
        });
  }

  /** Returns whether the bundle is being replaced. */
  boolean replacing() {
    return replacing;
  }

  private ReplicaDirectory directory(Path path) {
    if (!path.equals(location.directory())) {
      throw new IllegalArgumentException(path + " is not on " + name());
    }
    return disk.directory();
  }

  /** Blocks all answers of the disk for a time. */
  void hang(Duration duration) {
    hangsUntil = scheduler.now() + duration.toNanos();
  }

  /** Delays the disk's next write. Later writes are not delayed. */
  void hangOne(Duration duration) {
    disk.setWriteHangs(
        () -> {
          hangsOneUntil = scheduler.now() + duration.toNanos();
          scheduler.sleep(duration);
        });
  }

  /** Lets the disk's next access throw an error, for example for a lack of memory. */
  void throwNext() {
    disk.setThrowsNext(
        () -> {
          trouble();
          throw new Error("planted on " + name());
        });
  }

  /** Pauses the process for a time. */
  void stop(Duration duration) {
    if (process != null) {
      stoppedUntil = scheduler.now() + duration.toNanos();
      scheduler.stop(process, duration);
    }
  }

  /** Fails a sync, whose data then is on no disk. */
  void syncFails() {
    failedSyncs++;
    trouble();
  }

  /** Lets the disk fail to read a block of the head. */
  void spoil(int block) {
    unreadable |= disk.spoilHead(SimulatedClients.position(block));
  }

  /** Lets the disk read all of it again. */
  void mendSectors() {
    if (unreadable) {
      trouble();
      disk.mendSectors();
    }
    unreadable = false;
  }

  /** Ends the faults of disk and process, except unreadable sectors. */
  void repair() {
    hangsUntil = Math.min(hangsUntil, scheduler.now());
    stoppedUntil = Math.min(stoppedUntil, scheduler.now());
    troubled = disk.broken() ? scheduler.now() : troubled;
    full = disk.full() ? scheduler.now() : full;
    disk.setBroken(false);
    disk.setFull(false);
    disk.setWriteHangs(() -> {});
    disk.setThrowsNext(() -> {});
    disk.setSyncFails(() -> false);
    disk.setLastsAfterCommit();
    if (process != null) {
      scheduler.resume(process);
    }
  }

  /** Ends the process. Its writes stay in the page cache. */
  void kill() {
    trouble();
    if (process != null) {
      scheduler.kill(process);
      process = null;
      engine = null;
      replacing = false;
      disk.engineDied();
    }
  }

  /** Cuts the power of the host, which also ends the process. */
  void losePower(Random random) {
    kill();
    boot++;
    disk.losePower(random);
  }
}
