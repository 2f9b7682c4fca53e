package dev.holdfast.engine.example.outside.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.example.outside.internal.daemon.DaemonSettings;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.NbdHostConnection;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.processes.RestartPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon ends while its volume is used. */
@Tag("slow")
class DaemonLossTest {
  private static final long SIZE = 1 << 20;

  /** Time for another node to take the lock of a daemon that was killed. */
  private static final RestartPolicy LATE =
      new RestartPolicy(
          Duration.ofSeconds(3), Duration.ofSeconds(3), Duration.ofMinutes(1), Integer.MAX_VALUE);

  @TempDir private Path folder;
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private OutsideEngine engine;
  private OutsideEngine other;

  @BeforeEach
  void start() throws Exception {
    engine = new OutsideEngine(DaemonSettings.of(folder.resolve("node-1")));
    other = new OutsideEngine(DaemonSettings.of(folder.resolve("node-2")));
    engine.provisionReplica(replica("node-1"), SIZE);
  }

  @AfterEach
  void stop() {
    engine.deactivate();
    other.deactivate();
  }

  private ReplicaLocation replica(String node) {
    return new ReplicaLocation(
        "vol", "vol-r", DiskLocation.directory(node, folder), "vol-1", false);
  }

  private OpenRequest request(String node) {
    return new OpenRequest("vol", SIZE, node, List.of(replica(node)), register, listener);
  }

  private void killImageDaemon() throws Exception {
    for (ProcessIdentity process : engine.imageProcesses()) {
      ProcessHandle handle = ProcessHandle.of(process.pid()).orElseThrow();
      assertThat(handle.destroyForcibly()).isTrue();
      handle.onExit().get();
    }
  }

  private static byte[] block(int content) {
    byte[] block = new byte[4096];
    Arrays.fill(block, (byte) content);
    return block;
  }

  private static NativeExport export(OpenVolume volume) throws StorageException {
    return ((ExportingVolume) volume)
        .export(ExportRequest.of("nbd", "shown", List.of(ExportHost.LOCAL)));
  }

  @Test
  void requestsOfDeviceAndHostsWaitForTheNextDaemon() throws Exception {
    try (OpenVolume volume = engine.open(request("node-1"))) {
      DeviceIo io = new DeviceIo(volume.device());
      try (NbdHostConnection host = new NbdHostConnection(export(volume).endpoints().get(0))) {
        host.write(0, block(1));
        for (int round = 2; round < 4; round++) {
          killImageDaemon();
          host.write(4096, block(round)); // sent before the next daemon is there
          io.write(8192, block(round));
          assertThat(io.read(0, 4096)).isEqualTo(block(1));
          assertThat(io.read(4096, 4096)).isEqualTo(block(round));
          assertThat(host.read(8192, 4096)).isEqualTo(block(round));
        }
      }
      listener.awaitExportChange();
    }
  }

  @Test
  void daemonWithoutHostsEndsWithItsEngine() throws Exception {
    OpenVolume volume = engine.open(request("node-1"));
    new DeviceIo(volume.device()).write(0, block(1));
    ProcessIdentity process = engine.imageProcesses().get(0);
    ProcessHandle handle = ProcessHandle.of(process.pid()).orElseThrow();
    engine.abandon();
    handle.onExit().get();
    try (OpenVolume next = other.open(request("node-2"))) {
      assertThat(new DeviceIo(next.device()).read(0, 4096)).isEqualTo(block(1));
    }
  }

  @Test
  void daemonOfARemovedReplicaEndsWithItsEngine() throws Exception {
    engine.open(request("node-1"));
    ProcessIdentity process = engine.imageProcesses().get(0);
    ProcessHandle handle = ProcessHandle.of(process.pid()).orElseThrow();
    Files.delete(replica("node-1").directory().resolve("lock"));
    engine.abandon();
    handle.onExit().get();
  }

  @Test
  void lockOutlivesTheEngineWhileHostsAreServed() throws Exception {
    OpenVolume volume = engine.open(request("node-1"));
    try (NbdHostConnection host = new NbdHostConnection(export(volume).endpoints().get(0))) {
      engine.abandon();
      host.write(0, block(1));
      assertThatThrownBy(() -> other.open(request("node-2")))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
          .hasMessageContaining("node-1");
      host.write(0, block(2));
    }
    engine = new OutsideEngine(DaemonSettings.of(folder.resolve("node-1")));
    engine.adopt(request("node-1")).close();
    try (OpenVolume next = other.open(request("node-2"))) {
      assertThat(new DeviceIo(next.device()).read(0, 4096)).isEqualTo(block(2));
    }
  }

  @Test
  void stoppedEngineLeavesItsExportsToTheNext() throws Exception {
    OpenVolume volume = engine.open(request("node-1"));
    try (NbdHostConnection host = new NbdHostConnection(export(volume).endpoints().get(0))) {
      engine.deactivate();
      host.write(0, block(1));
      engine = new OutsideEngine(DaemonSettings.of(folder.resolve("node-1")));
      try (OpenVolume adopted = engine.adopt(request("node-1"))) {
        host.write(4096, block(2));
        assertThat(new DeviceIo(adopted.device()).read(0, 4096)).isEqualTo(block(1));
      }
      assertThatThrownBy(() -> host.write(0, block(3))).isInstanceOf(IOException.class);
    }
    engine.deleteReplica(replica("node-1"));
    assertThat(folder.resolve("node-1")).isEmptyDirectory();
  }

  @Test
  void supersededEngineDoesNotTakeTheLockAgain() throws Exception {
    engine.deactivate();
    DaemonSettings usual = DaemonSettings.of(folder.resolve("node-1"));
    engine =
        new OutsideEngine(
            new DaemonSettings(usual.folder(), usual.program(), LATE, usual.lockWait()));
    OpenVolume volume = engine.open(request("node-1"));
    export(volume);
    killImageDaemon();
    other.open(request("node-2")).close(); // waits for the lock, if the daemon is there again
    assertThat(listener.awaitFailure().code()).isEqualTo(ErrorCode.FORBIDDEN);
    try (OpenVolume next = other.open(request("node-2"))) {
      new DeviceIo(next.device()).write(0, block(1));
      assertThatThrownBy(() -> new DeviceIo(volume.device()).write(0, block(2)))
          .isInstanceOf(StorageException.class);
      volume.close();
      assertThat(new DeviceIo(next.device()).read(0, 4096)).isEqualTo(block(1));
    }
  }

  /** The image's daemon died while no engine ran, and another node took the lock. */
  @Test
  void exportsOfALostLockAreWithdrawnAndNotServedAgain() throws Exception {
    OpenVolume volume = engine.open(request("node-1"));
    export(volume);
    ProcessIdentity process = engine.imageProcesses().get(0);
    engine.abandon();
    ProcessHandle handle = ProcessHandle.of(process.pid()).orElseThrow();
    assertThat(handle.destroyForcibly()).isTrue();
    handle.onExit().get();
    try (OpenVolume next = other.open(request("node-2"))) {
      engine = new OutsideEngine(DaemonSettings.of(folder.resolve("node-1")));
      assertThat(engine.leftServing(replica("node-1"))).hasValue(1);
      Membership now = register.record();
      assertThat(now.owner()).isEqualTo("node-2");
      assertThat(now.members()).isEqualTo(new TreeSet<>(List.of("vol-r")));
      assertThatThrownBy(() -> engine.adopt(request("node-1")))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
      assertThat(engine.leftServing(replica("node-1"))).isEmpty();
      new DeviceIo(next.device()).write(0, block(3));
    }
  }
}
