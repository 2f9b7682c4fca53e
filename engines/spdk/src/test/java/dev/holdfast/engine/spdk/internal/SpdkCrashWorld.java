package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** A volume with two replicas, its clone, and an engine that ends and restarts. */
final class SpdkCrashWorld {
  static final long SIZE = 8L << 20;
  private static final int LENGTH = 8_192;
  private static final byte[] OLD = filled(1);
  private static final byte[] NEW = filled(2);

  private final SpdkCrashLab lab;
  private final Path disks;
  private final SpdkCrashEnd end;
  private final InMemoryRegister register = new InMemoryRegister();
  private final InMemoryRegister cloneRegister = new InMemoryRegister();
  private SpdkEngine engine;
  private SpdkVolume volume;

  SpdkCrashWorld(SpdkCrashLab lab, Path disks, SpdkCrashEnd end) throws Exception {
    this.lab = lab;
    this.end = end;
    this.disks = disks;
    this.engine = lab.start();
    for (int i = 1; i <= 2; i++) {
      var unused = engine.prepareDisk(lab.disk(disks, i));
    }
  }

  private static byte[] filled(int value) {
    byte[] content = new byte[LENGTH];
    Arrays.fill(content, (byte) value);
    return content;
  }

  /** A step of a test. */
  interface Step {
    void run(SpdkCrashWorld world) throws Exception;
  }

  private List<ReplicaLocation> locations(String name) throws Exception {
    List<ReplicaLocation> all = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      all.add(
          new ReplicaLocation(name, name + "-r-" + i, lab.disk(disks, i), name + "-" + i, false));
    }
    return all;
  }

  void provision() throws Exception {
    for (ReplicaLocation replica : locations("vol")) {
      engine.provisionReplica(replica, SIZE);
    }
  }

  private SpdkVolume open(String name, List<ReplicaLocation> replicas, InMemoryRegister with)
      throws Exception {
    return (SpdkVolume)
        engine.open(new OpenRequest(name, SIZE, "node-1", replicas, with, new RecordingListener()));
  }

  void open() throws Exception {
    volume = open("vol", locations("vol"), register);
  }

  SpdkVolume volume() {
    return volume;
  }

  private DeviceIo io() {
    return new DeviceIo(volume.device());
  }

  /** An open volume with a snapshot s1 of the old content, and new content. */
  void write() throws Exception {
    provision();
    open();
    io().write(0, OLD);
    snapshot("s1");
    io().write(0, NEW);
  }

  void snapshot(String name) throws StorageException {
    var unused =
        volume.createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of("a", "b")));
  }

  void copy() throws Exception {
    List<ReplicaLocation> sources = locations("vol");
    List<ReplicaLocation> clones = locations("clone");
    for (int i = 0; i < 2; i++) {
      if (volume.leg(sources.get(i)).isPresent()) {
        engine.cloneReplica(
            clones.get(i), SIZE, new SnapshotContent(sources.get(i), "s1", "of-s1"));
      }
    }
  }

  /** Rebuilds the replica that is not current. The end of the process also ends the rebuild. */
  void rebuild() throws Exception {
    List<ReplicaLocation> replicas = locations("vol");
    boolean first = volume.leg(replicas.get(0)).isEmpty();
    try {
      var unused =
          volume
              .rebuild(replicas.get(first ? 0 : 1), RebuildOptions.UNLIMITED)
              .done()
              .toCompletableFuture()
              .get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StorageException failure) {
        throw failure;
      }
      assertThat(e).hasRootCauseInstanceOf(IllegalStateException.class);
    }
  }

  boolean isWhole() {
    return volume.replicas().values().stream().allMatch(mode -> mode == MemberMode.RW);
  }

  NativeExport export() throws StorageException {
    return volume.export(lab.request("nvmeof", "vol"));
  }

  void hold() throws StorageException {
    export().hold(Duration.ofSeconds(20)).close();
  }

  /** Replaces the process of the target. The volume is restored in the background. */
  void replaceTarget() throws Exception {
    volume.pause();
    lab.restartTarget();
    volume.resume(true);
  }

  void awaitRestored() throws Exception {
    Eventually.holds("restoration", () -> !volume.isRestoring());
  }

  void delete() throws Exception {
    for (ReplicaLocation replica : locations("vol")) {
      engine.deleteReplica(replica);
    }
  }

  /**
   * Runs a step and ends processes before an effect of it.
   *
   * @return whether the step has this effect
   */
  boolean interrupted(Step step, int effect) throws Exception {
    lab.crashBefore(effect, end);
    try {
      step.run(this);
    } catch (SpdkCrashLab.Crash e) {
      // the process has ended
    } catch (StorageException e) {
      if (end != SpdkCrashEnd.TARGET) {
        throw e;
      }
    }
    boolean ended = lab.restart();
    if (end != SpdkCrashEnd.TARGET) {
      lab.kill(engine);
      if (end == SpdkCrashEnd.BOTH) {
        lab.restartTarget();
      }
      engine = lab.start();
    }
    return ended;
  }

  /** Opens the volume again if the engine has ended. Otherwise the engine restores it. */
  void reopen() throws Exception {
    if (end != SpdkCrashEnd.TARGET) {
      open();
    }
  }

  /** Returns whether a replica can be removed: it and another one must be current. */
  boolean isRemovable(String replica) {
    Map<String, MemberMode> modes = volume.replicas();
    return modes.get(replica) == MemberMode.RW
        && modes.values().stream().filter(MemberMode.RW::equals).count() > 1;
  }

  /** After any interruption, the volume has one of its contents, and s1 has the old one. */
  void checkContent() throws Exception {
    assertThat(io().read(0, LENGTH)).isIn(OLD, NEW, new byte[LENGTH]);
    for (SnapshotInfo snapshot : volume.snapshots()) {
      assertThat(snapshot.removed()).as(snapshot.name()).isFalse();
      BlockDevice device = volume.openSnapshot(snapshot.name());
      assertThat(new DeviceIo(device).read(0, LENGTH))
          .as(snapshot.name())
          .isEqualTo(snapshot.name().equals("s1") ? OLD : NEW);
      device.close();
    }
  }

  boolean isOld() throws StorageException {
    return Arrays.equals(io().read(0, LENGTH), OLD);
  }

  /** A host connects and reads without waiting. */
  void checkServing() throws Exception {
    try (HostConnection host = lab.connect(export().endpoints().get(0))) {
      assertThat(host.read(0, LENGTH)).isEqualTo(NEW);
    }
  }

  /**
   * The clone has the content of the snapshot. It has one replica for each current replica of its
   * source. After a restart of the target, only one of these is current.
   */
  void checkClone() throws Exception {
    List<ReplicaLocation> there = new ArrayList<>();
    for (ReplicaLocation replica : locations("clone")) {
      if (engine.inspectReplica(replica).isPresent()) {
        there.add(replica);
      }
    }
    try (SpdkVolume opened = open("clone", there, cloneRegister)) {
      assertThat(new DeviceIo(opened.device()).read(0, LENGTH)).isEqualTo(OLD);
    }
  }

  /** Deletes all objects by ordinary calls and requires that none remains. */
  void deleteAll() throws Exception {
    if (volume != null) {
      volume.close();
    }
    for (ReplicaLocation replica : locations("clone")) {
      engine.deleteReplica(replica);
    }
    delete();
    assertThat(lab.leftovers()).as("volumes, mirrors and subsystems of the target").isEmpty();
    lab.stop(engine);
  }
}
