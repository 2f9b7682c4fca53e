package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.MountTable;
import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareAddress;
import dev.holdfast.share.ShareRequest;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that cannot be met get an error with the value and the remedy. */
@Tag("slow")
class RefusedShareTest {
  @TempDir Path folder;
  private LoopDevice device;
  private ShareFixture node;
  private ShareRequest request;

  @BeforeEach
  void startNode() throws Exception {
    device = new LoopDevice(folder.resolve("volume.img"), ShareFixture.SIZE);
    node = new ShareFixture(folder.resolve("data"));
    request = ShareFixture.request("v1", device);
  }

  @AfterEach
  void stopNode() throws Exception {
    node.close();
    device.close();
    assertThat(MountTable.read().mounts()).noneMatch(mount -> mount.directory().startsWith(folder));
  }

  private AbstractThrowableAssert<?, ?> refused(ShareRequest wrong, ErrorCode code) {
    return assertThatThrownBy(() -> node.server().start(wrong, ShareFixture.LIMIT))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  @Test
  void portThatAnotherProgramHasIsNamedWithTheProgram() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      refused(request.withPort(taken.getLocalPort()), ErrorCode.BUSY)
          .hasMessageContaining("port " + taken.getLocalPort() + " of 127.0.0.1 is in use by")
          .hasMessageContaining("pid=" + ProcessHandle.current().pid());
    }
    assertThat(MountTable.read().mounts()).noneMatch(mount -> mount.directory().startsWith(folder));
  }

  @Test
  void addressThatTheNodeDoesNotHaveIsRefused() {
    refused(request.withAddress(ShareAddress.own("192.0.2.1")), ErrorCode.INVALID)
        .hasMessageContaining("address 192.0.2.1: this node does not have it");
  }

  @Test
  void floatingAddressNeedsItsInterface() {
    refused(request.withAddress(new ShareAddress("192.0.2.1", 24, "none0")), ErrorCode.INVALID)
        .hasMessageContaining("interface none0 is absent");
  }

  @Test
  void clientsPortsAndTimesAreChecked() {
    refused(request.withClients(List.of(AllowedClient.of("10.1.2.3/8"))), ErrorCode.INVALID)
        .hasMessageContaining("allowed client \"10.1.2.3/8\"");
    refused(request.withPort(0), ErrorCode.INVALID).hasMessageContaining("port: 0");
    refused(request.withLease(Duration.ofMinutes(3)), ErrorCode.INVALID)
        .hasMessageContaining("lease: PT3M, must be from 1 s to 120 s");
    refused(request.withGrace(Duration.ofSeconds(1)), ErrorCode.INVALID)
        .hasMessageContaining("grace: PT1S, must be at least the lease");
  }

  @Test
  void unknownContentOfTheVolumeIsLeftAsItIs() throws Exception {
    try (RandomAccessFile file =
        new RandomAccessFile(folder.resolve("volume.img").toFile(), "rw")) {
      file.write("precious".getBytes(StandardCharsets.US_ASCII));
    }
    String unused =
        HostProgram.check(
            Duration.ofSeconds(20), List.of("blockdev", "--flushbufs", device.device()));
    refused(request, ErrorCode.INVALID).hasMessageContaining("it is left as it is");
  }

  @Test
  void linkInPlaceOfTheRecoveryFolderLeadsNowhere() throws Exception {
    Path outside = Files.createDirectory(folder.resolve("outside"));
    Path mount = Files.createDirectory(folder.resolve("mount"));
    Duration limit = Duration.ofSeconds(20);
    String made = HostProgram.check(limit, List.of("mkfs.ext4", "-q", device.device()));
    String put = HostProgram.check(limit, List.of("mount", device.device(), mount.toString()));
    Files.createSymbolicLink(mount.resolve(".holdfast"), outside);
    String gone = HostProgram.check(limit, List.of("umount", mount.toString()));
    assertThat(made + put + gone).isEmpty();
    refused(request, ErrorCode.INVALID)
        .hasMessageContaining(".holdfast on the volume is a symbolic link");
    assertThat(outside).isEmptyDirectory();
  }
}
