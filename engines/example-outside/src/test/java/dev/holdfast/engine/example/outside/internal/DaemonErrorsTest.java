package dev.holdfast.engine.example.outside.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.example.outside.internal.daemon.DaemonSettings;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Errors that an administrator can repair name the volume and the remedy. */
@Tag("slow")
class DaemonErrorsTest {
  private static final long SIZE = 1 << 20;

  @TempDir private Path folder;
  private Path disk;
  private OutsideEngine engine;

  @BeforeEach
  void start() throws Exception {
    disk = Files.createDirectories(folder.resolve("disk"));
    engine = new OutsideEngine(DaemonSettings.of(folder.resolve("state")));
  }

  @AfterEach
  void stop() {
    engine.deactivate();
  }

  private ReplicaLocation replica() {
    return new ReplicaLocation(
        "orders", "orders-r-1", DiskLocation.directory("node-1", disk), "orders-1", false);
  }

  private OpenRequest request(ReplicaLocation replica) {
    return new OpenRequest(
        "orders",
        SIZE,
        "node-1",
        List.of(replica),
        new InMemoryRegister(),
        new RecordingListener());
  }

  private static void fails(ErrorCode code, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContainingAll(words);
  }

  @Test
  void missingProgramIsNamedWithItsPackage() throws Exception {
    DaemonSettings installed = DaemonSettings.of(folder.resolve("other"));
    OutsideEngine without =
        new OutsideEngine(
            new DaemonSettings(
                installed.folder(), "no-such-daemon", installed.restarts(), installed.lockWait()));
    without.provisionReplica(replica(), SIZE);
    fails(
        ErrorCode.UNSUPPORTED,
        () -> without.open(request(replica())),
        "volume orders",
        "no-such-daemon is not installed",
        "apt-get install qemu-system-common");
    without.deactivate();
    engine.open(request(replica())).close();
  }

  @Test
  void refusedCommandIsNamedWithTheLogOfTheDaemon() throws Exception {
    engine.provisionReplica(replica(), SIZE);
    Path image = replica().directory().resolve("volume.img");
    Path away = image.resolveSibling("away");
    Files.move(image, away);
    fails(
        ErrorCode.IO,
        () -> engine.open(request(replica())),
        "volume orders",
        "refused blockdev-add",
        "No such file",
        "image.log");
    Files.move(away, image);
    engine.open(request(replica())).close();
  }

  @Test
  void foreignDiskIsReportedWithItsContent() throws Exception {
    Files.writeString(disk.resolve("precious.txt"), "not yours");
    fails(
        ErrorCode.INVALID,
        () -> engine.provisionReplica(replica(), SIZE),
        "volume orders",
        "precious.txt",
        "use an empty directory");
    Files.delete(disk.resolve("precious.txt"));
    engine.provisionReplica(replica(), SIZE);
  }

  @Test
  void directoryOfThePlatformIsAccepted() throws Exception {
    Files.writeString(disk.resolve("longhorn-disk.cfg"), "{\"diskUUID\":\"d-1\"}");
    Files.writeString(disk.resolve("of-another-engine"), "");
    engine.provisionReplica(replica(), SIZE);
    engine.open(request(replica())).close();
  }

  @Test
  void stateDirectoryThatIsTooLongForSocketsIsNamed() throws Exception {
    OutsideEngine deep =
        new OutsideEngine(DaemonSettings.of(folder.resolve("a".repeat(100)).resolve("state")));
    deep.provisionReplica(replica(), SIZE);
    fails(
        ErrorCode.INVALID,
        () -> deep.open(request(replica())),
        "volume orders",
        "at most 107",
        "move the state directory");
    deep.deactivate();
  }
}
