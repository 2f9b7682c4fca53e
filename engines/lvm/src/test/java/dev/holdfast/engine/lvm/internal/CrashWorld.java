package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.DeviceMapper;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.vm.testkit.HostCrash;
import dev.holdfast.vm.testkit.RecordingHost.Moment;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** One volume, its clone, and the process that serves them, which can end and restart. */
final class CrashWorld {
  static final long SIZE = 16L << 20;
  private static final int LENGTH = 8192;
  private static final byte[] OLD = filled(1);
  private static final byte[] NEW = filled(2);

  private final CrashLab lab;
  private final InMemoryRegister register = new InMemoryRegister();
  private final InMemoryRegister cloneRegister = new InMemoryRegister();
  private LvmEngine engine;
  private LvmVolume volume;
  private String shown = "";

  CrashWorld(CrashLab lab) throws Exception {
    this.lab = lab;
    this.engine = lab.start();
    var unused = engine.prepareDisk(lab.disk(Path.of("/tmp"), 1));
  }

  private static byte[] filled(int value) {
    byte[] content = new byte[LENGTH];
    Arrays.fill(content, (byte) value);
    return content;
  }

  /** A step of a test. */
  interface Step {
    void run(CrashWorld world) throws Exception;
  }

  private ReplicaLocation location(String name) throws Exception {
    return new ReplicaLocation(name, name + "-r", lab.disk(Path.of("/tmp"), 1), name + "-1", false);
  }

  LvmEngine engine() {
    return engine;
  }

  LvmVolume volume() {
    return volume;
  }

  ReplicaLocation replica() throws Exception {
    return location("vol");
  }

  void provision() throws Exception {
    engine.provisionReplica(replica(), SIZE);
  }

  void open() throws Exception {
    volume = open("vol", register);
  }

  private LvmVolume open(String name, InMemoryRegister with) throws Exception {
    return (LvmVolume)
        engine.open(
            new OpenRequest(
                name, SIZE, "node-1", List.of(location(name)), with, new RecordingListener()));
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

  void copy(String snapshot) throws Exception {
    engine.cloneReplica(
        location("clone"), SIZE, new SnapshotContent(replica(), snapshot, "of-" + snapshot));
  }

  NativeExport export() throws StorageException {
    NativeExport export =
        volume.export(ExportRequest.of("device", "vol", List.of(ExportHost.LOCAL)));
    Path device = Path.of(export.endpoints().get(0).getSchemeSpecificPart());
    shown = device.getFileName().toString();
    return export;
  }

  void hold() throws StorageException {
    export().hold(Duration.ofSeconds(20)).close();
  }

  void readSnapshot() throws StorageException {
    BlockDevice device = volume.openSnapshot("s1");
    assertThat(new DeviceIo(device).read(0, LENGTH)).isEqualTo(OLD);
    device.close();
  }

  void compare() throws StorageException {
    volume.changes("s1", SnapshotInfo.HEAD, (offset, length, kind) -> true);
  }

  void replace() throws Exception {
    volume =
        (LvmVolume)
            engine.resume(
                new OpenRequest(
                    "vol", SIZE, "node-1", List.of(replica()), register, new RecordingListener()),
                volume.handOver(false));
  }

  void close() throws StorageException {
    volume.close();
  }

  void delete() throws Exception {
    engine.deleteReplica(replica());
  }

  /**
   * Runs a step and ends the process at one point of it.
   *
   * @param atRecord whether the point is a write of a record, not a command
   * @return whether the step has this point
   */
  boolean interrupted(Step step, int point, boolean after, boolean atRecord) throws Exception {
    lab.host().clear();
    if (atRecord) {
      lab.records().crash(point, after);
    } else {
      lab.host().crash(point, after ? Moment.AFTER : Moment.BEFORE);
    }
    boolean ended = false;
    try {
      step.run(this);
    } catch (HostCrash | MemoryRecords.Crash e) {
      ended = true;
    }
    lab.kill(engine);
    lab.host().restart();
    lab.records().crash(-1, false);
    engine = lab.start();
    return ended || lab.host().crashed();
  }

  /** After any interruption, the volume opens and has one of its contents. */
  void checkContent() throws Exception {
    byte[] content = io().read(0, LENGTH);
    assertThat(content).isIn(OLD, NEW, new byte[LENGTH]);
    for (SnapshotInfo snapshot : volume.snapshots()) {
      assertThat(snapshot.removed()).as(snapshot.name()).isFalse();
      BlockDevice device = volume.openSnapshot(snapshot.name());
      assertThat(new DeviceIo(device).read(0, LENGTH))
          .as(snapshot.name())
          .isEqualTo(snapshot.name().equals("s1") ? OLD : NEW);
      device.close();
    }
  }

  boolean isPresent() throws Exception {
    return engine.inspectReplica(replica()).isPresent();
  }

  boolean isOld() throws StorageException {
    return Arrays.equals(io().read(0, LENGTH), OLD);
  }

  /** Requests of hosts do not wait while the export exists. */
  void checkServing() throws StorageException {
    var unused = export();
    checkPassing();
  }

  /** Requests of hosts do not wait, with or without a process of the engine. */
  void checkPassing() throws StorageException {
    assertThat(new DeviceMapper(lab.host()).find(shown).orElseThrow().suspended())
        .as("requests wait at " + shown)
        .isFalse();
  }

  /** The clone has the content of its snapshot and none of the later writes. */
  void checkClone() throws Exception {
    try (LvmVolume opened = open("clone", cloneRegister)) {
      assertThat(new DeviceIo(opened.device()).read(0, LENGTH)).isEqualTo(OLD);
    }
  }

  /** Deletes all objects by ordinary calls and requires that none remains. */
  void deleteAll() throws Exception {
    if (volume != null) {
      volume.close();
    }
    engine.deleteReplica(location("clone"));
    delete();
    assertThat(lab.leftovers()).as("volumes and devices of the host").isEmpty();
    assertThat(lab.records().list("")).as("records").isEmpty();
    lab.stop(engine);
  }
}
