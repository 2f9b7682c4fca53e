package dev.holdfast.engine.lvm.internal;

import static dev.holdfast.engine.lvm.internal.RealLab.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.vm.testkit.HostCrash;
import dev.holdfast.vm.testkit.RecordingHost.Moment;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs inside the virtual machine: a filesystem on a volume from its creation to its deletion. */
final class LvmLifeInGuest {
  private static final long MIB = 1L << 20;
  private static final long SIZE = 64 * MIB;

  @TempDir private Path folder;
  private final RealLab lab = new RealLab(4 * MIB);
  private final InMemoryRegister register = new InMemoryRegister();
  private LvmEngine engine = lab.start();

  private ReplicaLocation location(String name) {
    return new ReplicaLocation(name, name + "-r", lab.disk(folder, 1), name + "-1", false);
  }

  private OpenRequest request(String name, InMemoryRegister with) {
    return new OpenRequest(
        name, SIZE, "node-1", List.of(location(name)), with, new RecordingListener());
  }

  private static String shown(LvmVolume volume) throws Exception {
    ExportRequest request = ExportRequest.of("device", "export", List.of(ExportHost.LOCAL));
    return volume.export(request).endpoints().get(0).getSchemeSpecificPart();
  }

  private static void snapshot(LvmVolume volume, String name) throws Exception {
    var unused = volume.createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  @Test
  void filesystemIsKeptGrownClonedAndReverted() throws Exception {
    assertThat(engine.inspectDisk(lab.disk(folder, 1))).as("blank group").isEmpty();
    assertThat(engine.prepareDisk(lab.disk(folder, 1)).shared()).isFalse();
    engine.provisionReplica(location("vol"), SIZE);
    LvmVolume volume = (LvmVolume) engine.open(request("vol", register));
    String device = shown(volume);
    Path mount = folder.resolve("mount");
    shell("mkfs.ext4 -q " + device + " && mkdir " + mount + " && mount " + device + " " + mount);
    shell("echo old >" + mount + "/file && sync -f " + mount);
    snapshot(volume, "s1");
    shell("echo new >" + mount + "/file && sync -f " + mount);
    assertThat(changed(volume)).as("a small part of the volume changed").isBetween(1L, SIZE / 4);
    checkClone();
    lab.kill(engine);
    shell("echo past >" + mount + "/without-a-process && sync -f " + mount);
    volume = adopted(device);
    volume
        .export(ExportRequest.of("device", "export", List.of(ExportHost.LOCAL)))
        .hold(Duration.ofSeconds(20))
        .close();
    volume = diedInAHold(volume, device, mount);
    endedAt(6, volume, growing -> growing.expand(2 * SIZE));
    volume = adopted(device);
    volume.expand(2 * SIZE);
    shell("resize2fs " + device + " 2>&1");
    assertThat(Long.parseLong(shell("df -B1 --output=size " + mount + " | tail -n 1")))
        .as("size of the filesystem")
        .isGreaterThan(SIZE);
    assertThat(shell("cat " + mount + "/file " + mount + "/without-a-process"))
        .isEqualTo("new\npast");
    shell("umount " + mount);
    volume.close();
    assertThat(shell("dmsetup ls")).contains("No devices found");
    revert(mount);
    engine.deleteReplica(location("clone"));
    engine.deleteReplica(location("vol"));
    assertThat(lab.leftovers()).isEmpty();
    lab.stop(engine);
  }

  private LvmVolume adopted(String device) throws Exception {
    engine = lab.start();
    assertThat(engine.leftServing(location("vol"))).hasValue(1);
    LvmVolume volume = (LvmVolume) engine.adopt(request("vol", register));
    assertThat(shown(volume)).isEqualTo(device);
    return volume;
  }

  /** After the process ended during a hold, requests pass before the next process starts. */
  private LvmVolume diedInAHold(LvmVolume volume, String device, Path mount) throws Exception {
    var unused =
        volume
            .export(ExportRequest.of("device", "export", List.of(ExportHost.LOCAL)))
            .hold(Duration.ofSeconds(20));
    String suspended = "dmsetup info --columns --noheadings -o suspended " + device;
    assertThat(shell(suspended)).isEqualTo("Suspended");
    lab.kill(engine);
    assertThat(shell(suspended)).isEqualTo("Active");
    shell("sync -f " + mount);
    return adopted(device);
  }

  /** A call about an open volume. */
  private interface VolumeCall {
    void run(LvmVolume volume) throws Exception;
  }

  /** Ends the process after a command of a call. */
  private void endedAt(int command, LvmVolume volume, VolumeCall call) {
    lab.host().clear();
    lab.host().crash(command, Moment.AFTER);
    assertThatThrownBy(() -> call.run(volume)).isInstanceOf(HostCrash.class);
    lab.kill(engine);
    lab.host().restart();
  }

  private static long changed(LvmVolume volume) throws Exception {
    List<Long> lengths = new ArrayList<>();
    volume.changes(
        "s1",
        SnapshotInfo.HEAD,
        (offset, length, kind) -> kind != ExtentKind.DATA || lengths.add(length));
    return lengths.stream().mapToLong(Long::longValue).sum();
  }

  private void checkClone() throws Exception {
    engine.cloneReplica(location("clone"), SIZE, new SnapshotContent(location("vol"), "s1", "s1"));
    Path mount = folder.resolve("clone");
    try (LvmVolume clone = (LvmVolume) engine.open(request("clone", new InMemoryRegister()))) {
      shell("mkdir " + mount + " && mount " + shown(clone) + " " + mount);
      assertThat(shell("cat " + mount + "/file")).isEqualTo("old");
      shell("echo mine >" + mount + "/file && umount " + mount);
    }
  }

  private void revert(Path mount) throws Exception {
    LvmVolume interrupted = (LvmVolume) engine.open(request("vol", register));
    endedAt(12, interrupted, reverting -> reverting.revert("s1"));
    engine = lab.start();
    LvmVolume volume = (LvmVolume) engine.open(request("vol", register));
    long before = used();
    assertThat(before).isPositive();
    String device = shown(volume);
    shell("mount " + device + " " + mount);
    assertThat(shell("cat " + mount + "/file; ls " + mount)).isEqualTo("old\nfile\nlost+found");
    shell("umount " + mount);
    new DeviceIo(volume.device()).trim(0, 2 * (int) SIZE);
    assertThat(used()).as("used bytes after a trim").isZero();
    assertThat(new DeviceIo(volume.device()).read(0, 1 << 20)).containsOnly(0);
    volume.close();
  }

  private long used() throws Exception {
    return engine.inspectReplica(location("vol")).orElseThrow().usedBytes();
  }
}
